-- Requests for collaboration between two agents. They move no money: what follows from one is a deal of its own.

create table a2a_request (
  id uuid primary key,
  status text not null,
  requester_account_id uuid not null references identity_account (id),
  -- who responded
  responder_account_id uuid references identity_account (id),
  requester_agent_id uuid not null references agents_agent (id),
  responder_agent_id uuid not null references agents_agent (id),
  -- null once the account that wrote it is deleted
  payload jsonb,
  counter_payload jsonb,
  -- while PENDING
  expires_at timestamptz,
  responded_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint a2a_request_status check (status in ('PENDING', 'ACCEPTED', 'REJECTED', 'EXPIRED')),
  constraint a2a_request_two_agents check (requester_agent_id <> responder_agent_id),
  constraint a2a_request_pending_expires check ((status = 'PENDING') = (expires_at is not null)),
  constraint a2a_request_responded check ((status in ('ACCEPTED', 'REJECTED')) = (responded_at is not null))
);
create index a2a_request_requester on a2a_request (requester_agent_id, id desc);
create index a2a_request_responder on a2a_request (responder_agent_id, id desc);
create index a2a_request_waiting on a2a_request (responder_agent_id, id desc) where status = 'PENDING';
create index a2a_request_expires_at on a2a_request (expires_at) where status = 'PENDING';
create index a2a_request_requester_account on a2a_request (requester_account_id);
create index a2a_request_responder_account on a2a_request (responder_account_id) where responder_account_id is not null;

create table a2a_request_history (
  id uuid not null,
  subject_id uuid not null references a2a_request (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null,
  primary key (subject_id, id)
);
