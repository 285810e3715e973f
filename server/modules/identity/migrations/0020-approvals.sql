-- Acts of an admin that wait for another admin. Business time throughout; what is approved is told by kind and payload.
create table identity_approval (
  id uuid primary key,
  kind text not null,
  payload jsonb not null,
  status text not null,
  requested_by uuid not null references identity_account (id),
  decided_by uuid references identity_account (id),
  decided_at timestamptz,
  reason text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint identity_approval_status_known check (status in ('PENDING', 'APPROVED', 'REJECTED', 'EXPIRED')),
  constraint identity_approval_decided_by_somebody check (
    (status in ('APPROVED', 'REJECTED')) = (decided_by is not null) and (decided_by is null) = (decided_at is null)
  )
);
create index identity_approval_due on identity_approval (expires_at) where status = 'PENDING';
create index identity_approval_newest on identity_approval (created_at desc, id desc);

create table identity_approval_history (
  id uuid primary key,
  subject_id uuid not null references identity_approval (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index identity_approval_history_subject_id on identity_approval_history (subject_id);

-- The code that approves is used up apart from those that sign in.
alter table identity_mfa_step drop constraint identity_mfa_step_purpose_known;
alter table identity_mfa_step add constraint identity_mfa_step_purpose_known
  check (purpose in ('login', 'step-up', 'disable', 'approval'));
