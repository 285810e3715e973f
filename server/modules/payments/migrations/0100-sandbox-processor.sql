-- The simulated processor also keeps refunds, connected accounts, payouts and disputes, and a statement of its balance.

alter table platform_processor_object drop constraint platform_processor_object_kind;
alter table platform_processor_object add constraint platform_processor_object_kind check (kind in
  ('payment_intent', 'checkout.session', 'refund', 'account', 'account_link', 'payout', 'dispute'));

-- What happens to one of these objects by itself, and when (business time).
create table payments_sandbox_task (
  id uuid primary key,
  object_id text not null references platform_processor_object (id),
  kind text not null,
  due_at timestamptz not null
);
create index payments_sandbox_task_due_at on payments_sandbox_task (due_at);

-- Everything that moved the balance at the simulated processor (business time).
create table payments_sandbox_movement (
  id text primary key,
  kind text not null,
  source_id text not null,
  our_id text,
  cents bigint not null,
  fee_cents bigint not null,
  currency text not null,
  at timestamptz not null
);
create index payments_sandbox_movement_at on payments_sandbox_movement (at, id);

-- An event counts once it was handled: until then a repeated delivery handles it.
create index payments_event_received on payments_event (received_at) where outcome = 'received';
