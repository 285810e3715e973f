-- A payment that someone makes to us through the card processor. It knows a purpose and a reference, never what they mean.

create table payments_intent (
  id uuid primary key,
  status text not null,
  purpose text not null,
  reference text not null,
  account_id uuid not null,
  amount bigint not null,
  currency text not null,
  rail text not null,
  payment_method text,
  return_url text,
  processor_id text,
  checkout_id text,
  failure_code text,
  failure_message text,
  journal_id uuid,
  expires_at timestamptz not null,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payments_intent_status check (status in ('PENDING', 'SUCCEEDED', 'FAILED', 'EXPIRED')),
  constraint payments_intent_rail check (rail in ('card', 'checkout')),
  constraint payments_intent_amount check (amount > 0 and amount % 10000 = 0),
  constraint payments_intent_confirmed check ((status = 'SUCCEEDED') = (confirmed_at is not null)),
  constraint payments_intent_booked check (status <> 'SUCCEEDED' or journal_id is not null),
  constraint payments_intent_processor_id unique (processor_id),
  constraint payments_intent_checkout_id unique (checkout_id)
);
create index payments_intent_expires_at on payments_intent (expires_at) where status = 'PENDING';
create index payments_intent_account_id on payments_intent (account_id, created_at desc);

create table payments_intent_history (
  id uuid primary key,
  subject_id uuid not null references payments_intent (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index payments_intent_history_subject_id on payments_intent_history (subject_id);

-- The processor's notifications, each once whatever comes of it.
create table payments_event (
  id text primary key,
  type text not null,
  endpoint text not null,
  outcome text not null,
  body jsonb not null,
  received_at timestamptz not null
);
