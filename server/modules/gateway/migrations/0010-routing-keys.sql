-- Keys of the routing gateway with what each may use. Null is no limit; amounts are micro-USD.
create table gateway_key (
  id uuid primary key,
  account_id uuid not null references identity_account (id),
  name text not null,
  -- sha256 of the text, which is stored nowhere
  hash bytea not null,
  last_four text not null,
  status text not null default 'ACTIVE',
  rpm integer,
  tpm integer,
  parallel integer,
  daily_usd bigint,
  weekly_usd bigint,
  monthly_usd bigint,
  end_user_daily_usd bigint,
  -- empty for all
  allowed_models text[] not null default '{}',
  max_price_usd bigint,
  error_format text not null default 'envelope',
  cache_seconds integer not null default 0,
  redact_pii boolean not null default false,
  -- business time
  expires_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- real time
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint gateway_key_status_known check (status in ('ACTIVE', 'REVOKED')),
  constraint gateway_key_revoked_at_set check ((status = 'REVOKED') = (revoked_at is not null)),
  constraint gateway_key_error_format_known check (error_format in ('envelope', 'openai')),
  constraint gateway_key_hash_is_sha256 check (octet_length(hash) = 32),
  constraint gateway_key_limits_positive check (
    least(rpm, tpm, parallel) > 0 and least(daily_usd, weekly_usd, monthly_usd, end_user_daily_usd, max_price_usd) > 0
    and cache_seconds >= 0
  )
);
create unique index gateway_key_hash on gateway_key (hash);
create index gateway_key_account on gateway_key (account_id, created_at desc, id desc);

-- How an account wants its requests routed. Null is the default of the service.
create table gateway_config (
  account_id uuid primary key references identity_account (id),
  default_model text,
  mid_threshold double precision,
  premium_threshold double precision,
  allow text[],
  deny text[],
  max_price_usd bigint,
  lambda double precision,
  sticky boolean,
  fallbacks boolean,
  updated_at timestamptz not null,
  constraint gateway_config_thresholds check (mid_threshold between 0 and 1 and premium_threshold between 0 and 1),
  constraint gateway_config_lambda check (lambda between 0 and 1000),
  constraint gateway_config_price_positive check (max_price_usd > 0)
);
