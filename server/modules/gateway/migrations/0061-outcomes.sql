-- How good the answers were, as callers report it: routing of the same account uses it.
create table gateway_outcome (
  generation_id text primary key,
  account_id uuid not null references identity_account (id),
  model text not null,
  -- kind of task, as the router saw it
  kind text not null,
  -- from 0 (bad) to 1 (good)
  score real not null,
  comment text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- real time, by which instances find what is new
  recorded_at timestamptz not null default clock_timestamp(),
  constraint gateway_outcome_generation foreign key (generation_id) references gateway_usage (id),
  constraint gateway_outcome_score check (score between 0 and 1)
);
create index gateway_outcome_account on gateway_outcome (account_id, updated_at desc, generation_id);
create index gateway_outcome_recorded on gateway_outcome (recorded_at);
