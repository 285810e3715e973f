-- The same events for the parties of a deal, whether an agent acts for them or not. Append-only: rows are deleted with the
-- account or after 90 days.
create table notifications_party_event (
  -- In the order of the commits, as in notifications_event.
  id bigint generated always as identity primary key,
  -- An account, or the organization that it acts for.
  party_id uuid not null,
  type text not null,
  -- Ids, states and amounts; no text of a party.
  data jsonb not null,
  created_at timestamptz not null
);
create index notifications_party_event_party on notifications_party_event (party_id, id);
create index notifications_party_event_created on notifications_party_event (created_at);
