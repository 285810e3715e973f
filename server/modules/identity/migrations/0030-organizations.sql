-- Organizations, their members, and service accounts that are bound to one. Business time throughout.

create table identity_organization (
  id uuid primary key,
  -- null once closed
  slug text,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  constraint identity_organization_slug_well_formed check (slug ~ '^[a-z0-9]+(?:[-_][a-z0-9]+)*$'),
  constraint identity_organization_closed_names_nobody check (
    (closed_at is null) = (slug is not null) and (closed_at is null or name = '')
  )
);
create unique index identity_organization_slug_taken on identity_organization (slug);

create table identity_member (
  organization_id uuid not null references identity_organization (id),
  account_id uuid not null references identity_account (id),
  role text not null,
  joined_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, account_id),
  constraint identity_member_role_known check (role in ('OWNER', 'ADMIN', 'MEMBER'))
);
create index identity_member_account on identity_member (account_id, organization_id);

-- An open organization has an owner at all times, whoever leaves at the same moment.
create function identity_keep_an_owner() returns trigger language plpgsql as $$
begin
  -- Waits for whoever changes the members too; the next statement sees what that left.
  perform from identity_organization where id = old.organization_id for no key update;
  if exists (select from identity_organization where id = old.organization_id and closed_at is null)
    and not exists (select from identity_member where organization_id = old.organization_id and role = 'OWNER') then
    raise exception 'organization % would have no owner', old.organization_id
      using errcode = 'check_violation', constraint = 'identity_member_one_owner';
  end if;
  return null;
end $$;
create trigger identity_member_keep_an_owner after update or delete on identity_member
  for each row when (old.role = 'OWNER') execute function identity_keep_an_owner();

alter table identity_service_account
  add constraint identity_service_account_organization_id_fkey
    foreign key (organization_id) references identity_organization (id),
  add constraint identity_service_account_bound_once check (agent_id is null or organization_id is null);
create index identity_service_account_organization on identity_service_account (organization_id, account_id)
  where organization_id is not null;
create index identity_service_account_agent on identity_service_account (agent_id) where agent_id is not null;
