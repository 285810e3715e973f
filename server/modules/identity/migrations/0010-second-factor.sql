-- The second factor, external identities, and when a sign-in last proved itself again. Real time throughout.

create table identity_mfa (
  account_id uuid primary key references identity_account (id),
  -- the shared secret, sealed
  secret text not null,
  -- argon2id salt of the backup codes: one for all of them, so that one hash finds the code
  backup_salt bytea not null,
  created_at timestamptz not null,
  -- null until a code of it was shown
  enabled_at timestamptz,
  constraint identity_mfa_backup_salt_is_128_bits check (octet_length(backup_salt) = 16)
);

-- The last time step whose code was used, for each purpose: no code works twice.
create table identity_mfa_step (
  account_id uuid not null references identity_account (id),
  purpose text not null,
  step bigint not null,
  primary key (account_id, purpose),
  constraint identity_mfa_step_purpose_known check (purpose in ('login', 'step-up', 'disable'))
);

create table identity_backup_code (
  account_id uuid not null references identity_account (id),
  hash bytea not null,
  used_at timestamptz,
  primary key (account_id, hash)
);

-- Who somebody is at an identity provider; the subject is the provider's name for the person.
create table identity_external (
  provider text not null,
  subject text not null,
  account_id uuid not null references identity_account (id),
  created_at timestamptz not null,
  primary key (provider, subject)
);
create index identity_external_account on identity_external (account_id);

alter table identity_session add column proved_at timestamptz;
comment on column identity_session.proved_at is 'last step-up';
