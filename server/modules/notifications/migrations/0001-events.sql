-- What happened to the deals of an agent, for the agent. Append-only: rows are deleted with the account or after 90 days.
create table notifications_event (
  -- In the order of the commits: one transaction at a time inserts. A stream continues after the last id that it sent.
  id bigint generated always as identity primary key,
  agent_id uuid not null references agents_agent (id),
  -- The negotiation of a deal; events about one subject are in order.
  subject_id uuid not null,
  sequence integer not null,
  type text not null,
  -- Ids, states and amounts; no text of a party.
  data jsonb not null,
  created_at timestamptz not null,
  constraint notifications_event_sequence unique (agent_id, subject_id, sequence)
);
create index notifications_event_agent on notifications_event (agent_id, id);
create index notifications_event_created on notifications_event (created_at);
