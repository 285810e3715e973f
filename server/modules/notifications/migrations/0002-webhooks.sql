-- Where the events of an agent are sent.
create table notifications_endpoint (
  agent_id uuid primary key references agents_agent (id),
  url text not null,
  -- null: all types
  events text[],
  status text not null,
  last_success_at timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint notifications_endpoint_status check (status in ('ENABLED', 'DISABLED')),
  constraint notifications_endpoint_disabled check ((status = 'DISABLED') = (disabled_at is not null))
);

-- One event for one endpoint. A replay is another row for the same event.
create table notifications_delivery (
  id uuid primary key,
  event_id bigint not null references notifications_event (id) on delete cascade,
  agent_id uuid not null,
  subject_id uuid not null,
  status text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  -- until then an instance sends it
  leased_until timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint notifications_delivery_status check (status in ('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
  constraint notifications_delivery_due check ((status = 'PENDING') = (next_attempt_at is not null)),
  constraint notifications_delivery_ended check ((status = 'PENDING') = (ended_at is null))
);
create index notifications_delivery_next on notifications_delivery (next_attempt_at) where status = 'PENDING';
create index notifications_delivery_order on notifications_delivery (agent_id, subject_id, event_id) where status = 'PENDING';
create index notifications_delivery_agent on notifications_delivery (agent_id, event_id desc);
create index notifications_delivery_event on notifications_delivery (event_id);

create table notifications_delivery_history (
  id uuid not null,
  subject_id uuid not null references notifications_delivery (id) on delete cascade,
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null,
  primary key (subject_id, id)
);
