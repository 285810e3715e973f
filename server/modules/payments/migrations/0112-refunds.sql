-- Money that goes back to the card of a payment. The ledger has let it go when the row is written; a refund that fails
-- credits the wallet.
create table payments_refund (
  id uuid primary key,
  status text not null,
  payment_id uuid not null references payments_intent (id),
  -- credited if the refund fails
  wallet_id uuid not null,
  amount bigint not null,
  currency text not null,
  -- the journal that let the money go, and the one that took it back
  journal_id uuid not null,
  return_journal_id uuid,
  processor_id text,
  failure text,
  -- when the processor is asked what became of it; null once that is known
  ask_at timestamptz,
  asks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payments_refund_status check (status in ('PENDING', 'SUCCEEDED', 'FAILED')),
  constraint payments_refund_amount check (amount > 0 and amount % 10000 = 0),
  constraint payments_refund_asked check ((status = 'PENDING') = (ask_at is not null)),
  constraint payments_refund_returned check ((status = 'FAILED') = (return_journal_id is not null)),
  constraint payments_refund_journal_id unique (journal_id),
  constraint payments_refund_return_journal_id unique (return_journal_id)
);
create index payments_refund_payment_id on payments_refund (payment_id, created_at);
create index payments_refund_ask_at on payments_refund (ask_at) where ask_at is not null;

create table payments_refund_history (
  id uuid primary key,
  subject_id uuid not null references payments_refund (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index payments_refund_history_subject_id on payments_refund_history (subject_id);
