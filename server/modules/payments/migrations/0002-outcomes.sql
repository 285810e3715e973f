-- Payments whose outcome is unknown are asked for, and money that fits none of them is kept in suspense.

alter table payments_intent
  -- when the processor is asked what became of a charge: set before it is sent, null once the outcome stands here
  add column ask_at timestamptz,
  add column asks integer not null default 0,
  add constraint payments_intent_asked check (ask_at is null or status = 'PENDING');
create index payments_intent_ask_at on payments_intent (ask_at) where status = 'PENDING' and ask_at is not null;

-- Money that the processor took in and that belongs to no payment as it stands here. Each of its payments once.
create table payments_suspense (
  processor_id text primary key,
  -- the payment that it names; there may be none
  payment_id uuid not null,
  reason text not null,
  cents bigint not null,
  fee_cents bigint not null,
  currency text not null,
  -- false: not in an asset of the ledger, so nothing was posted
  booked boolean not null,
  created_at timestamptz not null,
  -- when it was booked to its payment after all
  settled_at timestamptz,
  constraint payments_suspense_reason check (reason in ('MISMATCH', 'PAID_TWICE', 'UNKNOWN_PAYMENT'))
);
create index payments_suspense_open on payments_suspense (created_at) where settled_at is null;
