-- Sums of gateway_usage for each hour, from which analytics are read. A trigger adds each row in the transaction that writes
-- it: a row that comes late is added to its hour, and a row that is written twice is added once.
create table gateway_usage_hour (
  account_id uuid not null,
  -- begin of the hour in UTC
  hour timestamptz not null,
  key_id uuid not null,
  model text not null,
  tier text not null,
  surface text not null,
  -- Prompts of more tokens than this, up to the next of the bounds at which prices change (gateway_prompt_above).
  prompt_above integer not null,
  provider text not null,
  requests bigint not null,
  -- broke off, or gave no answer
  errors bigint not null,
  -- answered by another model than the selected one, or at a second attempt
  retried bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_nano bigint not null,
  cost bigint not null,
  fee bigint not null,
  latency_ms bigint not null,
  primary key (account_id, hour, key_id, model, tier, surface, prompt_above)
) with (fillfactor = 70);

create function gateway_prompt_above(input_tokens integer) returns integer language sql immutable parallel safe as $$
  select (array[0, 32000, 100000, 128000, 200000, 256000, 272000, 512000])[
    width_bucket(greatest(input_tokens - 1, 0), array[0, 32000, 100000, 128000, 200000, 256000, 272000, 512000])]
$$;

create function gateway_sum_usage() returns trigger language plpgsql as $$
begin
  -- In order, so that two transactions never wait for each other.
  insert into gateway_usage_hour as h (account_id, hour, key_id, model, tier, surface, prompt_above, provider, requests,
    errors, retried, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_nano, cost,
    fee, latency_ms)
  select account_id, date_trunc('hour', at, 'UTC'), key_id, model, tier, surface, gateway_prompt_above(input_tokens),
    min(provider), count(*), count(*) filter (where outcome in ('failed', 'partial')),
    count(*) filter (where jsonb_array_length(attempts) > 1), sum(input_tokens), sum(output_tokens),
    sum(cache_read_tokens), sum(cache_write_tokens), sum(reasoning_tokens), sum(cost_nano), sum(cost), sum(fee),
    sum(latency_ms)
  from written group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (account_id, hour, key_id, model, tier, surface, prompt_above) do update set
    requests = h.requests + excluded.requests, errors = h.errors + excluded.errors, retried = h.retried + excluded.retried,
    input_tokens = h.input_tokens + excluded.input_tokens, output_tokens = h.output_tokens + excluded.output_tokens,
    cache_read_tokens = h.cache_read_tokens + excluded.cache_read_tokens,
    cache_write_tokens = h.cache_write_tokens + excluded.cache_write_tokens,
    reasoning_tokens = h.reasoning_tokens + excluded.reasoning_tokens, cost_nano = h.cost_nano + excluded.cost_nano,
    cost = h.cost + excluded.cost, fee = h.fee + excluded.fee, latency_ms = h.latency_ms + excluded.latency_ms;
  return null;
end $$;
create trigger gateway_usage_summed after insert on gateway_usage referencing new table as written
  for each statement execute function gateway_sum_usage();
