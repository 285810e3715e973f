-- Accounts, sign-ins, links that work once, service accounts and the keys of every prefix.

create table identity_account (
  id uuid primary key,
  email text,
  email_verified_at timestamptz,
  username text,
  display_name text not null,
  -- PHC string of argon2id; null where nobody signs in by password
  password_hash text,
  user_type text not null,
  role text not null default 'USER',
  plan text not null default 'FREE',
  status text not null default 'ACTIVE',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint identity_account_user_type_known check (user_type in ('HUMAN', 'AGENT')),
  constraint identity_account_role_known check (role in ('USER', 'ADMIN')),
  constraint identity_account_plan_known check (plan in ('FREE', 'PRO')),
  constraint identity_account_status_known check (status in ('ACTIVE', 'SUSPENDED', 'DELETED')),
  constraint identity_account_username_well_formed check (username ~ '^[a-z0-9_]{3,20}$'),
  constraint identity_account_deleted_names_nobody check ((status = 'DELETED') = (deleted_at is not null)
    and (deleted_at is null or (email is null and username is null and password_hash is null and display_name = '')))
);
create unique index identity_account_email_taken on identity_account (lower(email));
create unique index identity_account_username_taken on identity_account (username);
create index identity_account_admins on identity_account (id) where role = 'ADMIN';

-- One service account holds one key at a time, and for a while the one before it. An agent's own (kind sa) is
-- one per agent; the agent itself lives in a module above.
create table identity_service_account (
  id uuid primary key,
  account_id uuid not null references identity_account (id),
  kind text not null,
  agent_id uuid,
  organization_id uuid,
  name text not null,
  description text not null default '',
  scopes text[] not null,
  status text not null default 'ACTIVE',
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revoked_at timestamptz,
  constraint identity_service_account_kind_known check (kind in ('sk', 'sa')),
  constraint identity_service_account_agent_key_has_agent check (kind <> 'sa' or agent_id is not null),
  constraint identity_service_account_status_known check (status in ('ACTIVE', 'REVOKED')),
  constraint identity_service_account_revoked_at_set check ((status = 'REVOKED') = (revoked_at is not null))
);
create unique index identity_service_account_one_per_agent on identity_service_account (agent_id) where kind = 'sa';
create index identity_service_account_account on identity_service_account (account_id, created_at desc);

create table identity_key (
  id uuid primary key,
  account_id uuid not null references identity_account (id),
  -- null for routing keys, which their own module describes
  service_account_id uuid references identity_service_account (id),
  kind text not null,
  agent_id uuid,
  hash bytea not null,
  last_four text not null,
  status text not null default 'ACTIVE',
  -- business time, until when a replaced key is still good
  grace_until timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint identity_key_kind_known check (kind in ('sk', 'sa', 'rk')),
  constraint identity_key_has_service_account check ((kind = 'rk') = (service_account_id is null)),
  constraint identity_key_agent_only_for_agent_keys check ((kind = 'sa') = (agent_id is not null)),
  constraint identity_key_status_known check (status in ('ACTIVE', 'GRACE', 'REVOKED')),
  constraint identity_key_grace_has_end check (status <> 'GRACE' or grace_until is not null),
  constraint identity_key_revoked_at_set check ((status = 'REVOKED') = (revoked_at is not null)),
  constraint identity_key_hash_is_sha256 check (octet_length(hash) = 32)
);
create unique index identity_key_hash on identity_key (hash);
create unique index identity_key_one_active on identity_key (service_account_id) where status = 'ACTIVE';
create index identity_key_agent on identity_key (agent_id) where agent_id is not null;
create index identity_key_account on identity_key (account_id);

-- A sign-in and the family of its refresh tokens. Real time throughout.
create table identity_session (
  id uuid primary key,
  account_id uuid not null references identity_account (id),
  -- how it began: password, agent_key, registration ...
  method text not null,
  -- the key that it began with, whose revocation ends it
  key_id uuid references identity_key (id),
  ip text,
  user_agent text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  ended_at timestamptz,
  ended_reason text,
  constraint identity_session_end_has_reason check ((ended_at is null) = (ended_reason is null))
);
create index identity_session_account on identity_session (account_id, created_at desc) where ended_at is null;
create index identity_session_key on identity_session (key_id) where key_id is not null and ended_at is null;

create table identity_refresh_token (
  hash bytea primary key,
  session_id uuid not null references identity_session (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint identity_refresh_token_hash_is_sha256 check (octet_length(hash) = 32)
);
create index identity_refresh_token_session on identity_refresh_token (session_id);
create index identity_refresh_token_expires_at on identity_refresh_token (expires_at);

-- A secret link: hashed, single use, real time.
create table identity_link (
  hash bytea primary key,
  purpose text not null,
  account_id uuid references identity_account (id),
  details jsonb not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint identity_link_hash_is_sha256 check (octet_length(hash) = 32)
);
create index identity_link_account on identity_link (account_id);
create index identity_link_expires_at on identity_link (expires_at);
