-- The simulated card processor of sandbox mode keeps its own books, as a real one would.

create table platform_processor_object (
  id text primary key,
  kind text not null,
  -- the caller's id: the same one never charges twice
  idempotency_key text not null,
  status text not null,
  body jsonb not null,
  created_at timestamptz not null,
  constraint platform_processor_object_kind check (kind in ('payment_intent', 'checkout.session')),
  constraint platform_processor_object_once unique (kind, idempotency_key)
);

-- Notifications to our own webhooks; real time. Kept until they are answered with 2xx.
create table platform_processor_event (
  id text primary key,
  path text not null,
  body text not null,
  copies integer not null default 1,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  delivered_at timestamptz,
  constraint platform_processor_event_waits_or_ended check (delivered_at is null or next_attempt_at is null)
);
create index platform_processor_event_due on platform_processor_event (next_attempt_at) where next_attempt_at is not null;
