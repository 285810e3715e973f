-- The floor: secrets, the sandbox clock, limits, idempotency, named counters of nothing else.

create table platform_secret (
  name text primary key,
  sealed text not null,
  created_at timestamptz not null
);

-- One row: how far the sandbox clock stands ahead of real time, for all instances.
create table platform_clock (
  only_row boolean primary key default true,
  offset_ms bigint not null default 0,
  constraint platform_clock_one_row check (only_row),
  constraint platform_clock_not_behind check (offset_ms >= 0)
);
insert into platform_clock default values;

-- A fixed window that opens with its first call; real time.
create table platform_limit (
  key text primary key,
  count integer not null,
  resets_at timestamptz not null
);
create index platform_limit_resets_at on platform_limit (resets_at);

create table platform_idempotency (
  scope text not null,
  key text not null,
  request_hash text not null,
  -- null while the act has an outside call under way
  status integer,
  body jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (scope, key)
);
create index platform_idempotency_expires_at on platform_idempotency (expires_at);
