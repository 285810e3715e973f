-- Runs: one call of an agent by a buyer. The price is held in escrow at the start.
create table runs_run (
  id uuid primary key,
  status text not null,
  agent_id uuid not null references agents_agent (id),
  buyer_account_id uuid not null references identity_account (id),
  buyer_agent_id uuid references agents_agent (id),
  -- whose wallet pays, if it is an organization's
  buyer_organization_id uuid references identity_organization (id),
  price bigint not null,
  currency text not null,
  test boolean not null,
  escrow_id uuid references ap2_escrow (id),
  negotiation_id uuid references ap2_negotiation (id),
  -- what became of the price; FREE where there is none
  payment text not null,
  -- while an ended run is neither paid nor refunded, because its escrow is frozen: when that is tried again
  payment_due_at timestamptz,
  input jsonb,
  output jsonb,
  -- JSON Schema of the agent at the start, which the output must fit
  output_schema jsonb,
  error_code text,
  error_message text,
  job_reference text,
  -- calls of the agent's endpoint, and when the next one or the verdict on the last one is due
  attempts integer not null default 0,
  call_at timestamptz,
  -- ends the present state
  deadline_at timestamptz,
  -- since when the agent itself has the run
  taken_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint runs_run_status check (status in ('PENDING', 'AWAITING_APPROVAL', 'RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED')),
  constraint runs_run_currency check (currency in ('USD', 'USDC')),
  constraint runs_run_payment check (payment in ('FREE', 'HELD', 'RELEASED', 'REFUNDED', 'SPLIT')),
  constraint runs_run_price check (price >= 0 and (price = 0) = (payment = 'FREE') and (price = 0) = (escrow_id is null)
    and (escrow_id is null) = (negotiation_id is null)),
  constraint runs_run_one_per_escrow unique (escrow_id),
  constraint runs_run_live check ((status in ('PENDING', 'AWAITING_APPROVAL', 'RUNNING')) = (ended_at is null)
    and (ended_at is null) = (deadline_at is not null) and (call_at is null or ended_at is null)),
  constraint runs_run_payment_due check (payment_due_at is null or (ended_at is not null and payment = 'HELD')),
  constraint runs_run_error check ((status in ('FAILED', 'TIMED_OUT')) <= (error_code is not null)),
  constraint runs_run_attempts check (attempts between 0 and 3)
);
create index runs_run_deadline_at on runs_run (deadline_at) where ended_at is null;
create index runs_run_call_at on runs_run (call_at) where call_at is not null;
create index runs_run_payment_due_at on runs_run (payment_due_at) where payment_due_at is not null;
create index runs_run_agent on runs_run (agent_id, id desc);
create index runs_run_buyer on runs_run (buyer_account_id, id desc);
create index runs_run_buyer_agent on runs_run (buyer_agent_id, id desc) where buyer_agent_id is not null;
create index runs_run_organization on runs_run (buyer_organization_id, id desc) where buyer_organization_id is not null;

create table runs_run_history (
  id uuid primary key,
  subject_id uuid not null references runs_run (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index runs_run_history_subject on runs_run_history (subject_id, id);

-- One call of the agent's endpoint. Without an end: under way, or cut off by a crash.
create table runs_attempt (
  id uuid primary key,
  run_id uuid not null references runs_run (id),
  number integer not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  outcome text,
  http_status integer,
  duration_ms integer,
  response_bytes integer,
  response_sha256 text,
  constraint runs_attempt_number unique (run_id, number),
  constraint runs_attempt_end check ((ended_at is null) = (outcome is null))
);
