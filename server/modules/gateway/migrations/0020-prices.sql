-- Prices of models from a moment of business time on, in nano-USD per token. What a request cost must stay explainable, so
-- that rows are only added: a later row replaces the price from its moment on.
create table gateway_price (
  seq bigint generated always as identity primary key,
  model text not null,
  valid_from timestamptz not null,
  input bigint not null,
  output bigint not null,
  cache_read bigint not null,
  cache_write bigint not null,
  -- [{above, rates}], the longest first: rates of the whole request.
  length_tiers jsonb not null,
  -- {days, hours, rates} in UTC
  peak jsonb,
  source text not null,
  created_at timestamptz not null,
  constraint gateway_price_source_known check (source in ('initial', 'sync')),
  constraint gateway_price_ordered check (0 <= cache_read and cache_read <= input and input <= cache_write and output >= 0),
  -- Which of the two would apply is not defined.
  constraint gateway_price_tiers_or_peak check (peak is null or length_tiers = '[]'::jsonb)
);
create unique index gateway_price_one_initial on gateway_price (model) where source = 'initial';
create trigger gateway_price_append_only before update or delete or truncate on gateway_price
  for each statement execute function platform_append_only();
