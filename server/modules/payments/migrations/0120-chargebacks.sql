-- Chargebacks: the bank of a card holder takes the money of a payment back until the dispute is decided.

create table payments_chargeback (
  id uuid primary key,
  status text not null,
  -- the dispute at the processor
  dispute_id text not null,
  payment_id uuid not null references payments_intent (id),
  cents bigint not null,
  -- the processor's charge for the dispute as it was posted
  fee_cents bigint not null,
  reason text not null,
  -- until when the processor takes evidence
  respond_by timestamptz,
  -- when an admin began to hand in evidence, and when the processor had it
  evidence_begun_at timestamptz,
  evidence_at timestamptz,
  -- when the processor is asked for the state, in case its notification was lost; null once the dispute is decided
  ask_at timestamptz,
  closed_at timestamptz,
  opened_journal_id uuid not null,
  closed_journal_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payments_chargeback_dispute unique (dispute_id),
  constraint payments_chargeback_status check (status in ('NEEDS_RESPONSE', 'UNDER_REVIEW', 'WON', 'LOST')),
  constraint payments_chargeback_amount check (cents > 0 and fee_cents >= 0),
  constraint payments_chargeback_closed check ((status in ('WON', 'LOST')) = (closed_at is not null)
    and (closed_at is null) = (closed_journal_id is null) and (closed_at is null) = (ask_at is not null))
);
create index payments_chargeback_payment on payments_chargeback (payment_id);
create index payments_chargeback_ask_at on payments_chargeback (ask_at) where ask_at is not null;
create index payments_chargeback_created_at on payments_chargeback (created_at desc, id desc);

create table payments_chargeback_history (
  id uuid primary key,
  subject_id uuid not null references payments_chargeback (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index payments_chargeback_history_subject on payments_chargeback_history (subject_id);

-- What somebody owes (account 1050): one row for each posting that raised it. Recovered when money is released to the
-- debtor, or written off.
create table payments_receivable (
  id uuid primary key,
  -- the account or organization that owes
  owner_id uuid not null,
  chargeback_id uuid references payments_chargeback (id),
  asset text not null,
  amount bigint not null,
  recovered bigint not null default 0,
  written_off bigint not null default 0,
  created_at timestamptz not null,
  constraint payments_receivable_parts check (amount > 0 and recovered >= 0 and written_off >= 0 and recovered + written_off <= amount)
);
create index payments_receivable_open on payments_receivable (owner_id, asset, id) where recovered + written_off < amount;
create index payments_receivable_chargeback on payments_receivable (chargeback_id);

