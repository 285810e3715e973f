-- One row for each request that the gateway answered; written in batches with the postings of its cost.
create table gateway_usage (
  id text primary key,
  account_id uuid not null references identity_account (id),
  key_id uuid not null,
  surface text not null,
  requested_model text not null,
  model text not null,
  provider text not null,
  tier text not null,
  complexity real,
  decision jsonb not null,
  input_tokens integer not null,
  output_tokens integer not null,
  cache_read_tokens integer not null,
  cache_write_tokens integer not null,
  reasoning_tokens integer not null,
  -- without fee, exact
  cost_nano bigint not null,
  -- micro-USD, as posted
  cost bigint not null,
  fee bigint not null,
  latency_ms integer not null,
  ttft_ms integer,
  attempts jsonb not null,
  outcome text not null,
  finish_reason text,
  stream boolean not null,
  simulated boolean not null,
  end_user text,
  at timestamptz not null,
  constraint gateway_usage_surface_known check (surface in ('chat', 'messages', 'responses', 'embeddings')),
  constraint gateway_usage_tier_known check (tier in ('economy', 'mid', 'premium')),
  constraint gateway_usage_outcome_known check (outcome in ('completed', 'partial', 'cancelled', 'failed', 'cached')),
  constraint gateway_usage_counts check (
    least(input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens) >= 0
    and cache_read_tokens + cache_write_tokens <= input_tokens and reasoning_tokens <= output_tokens
  ),
  constraint gateway_usage_money check (cost_nano >= 0 and cost >= 0 and fee >= 0)
);
create index gateway_usage_account_at on gateway_usage (account_id, at desc, id);
