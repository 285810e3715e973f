-- Invitations to an organization, and to be its OWNER: nobody becomes either without accepting. Business time.
create table identity_invitation (
  organization_id uuid not null references identity_organization (id),
  account_id uuid not null references identity_account (id),
  role text not null,
  -- its right to invite is looked at again when the invitation is accepted
  invited_by uuid not null references identity_account (id),
  -- whether the inviter named the person by user name, and so may read it
  by_username boolean not null,
  created_at timestamptz not null,
  primary key (organization_id, account_id),
  constraint identity_invitation_role_known check (role in ('OWNER', 'ADMIN', 'MEMBER'))
);
create index identity_invitation_account on identity_invitation (account_id, created_at desc);
