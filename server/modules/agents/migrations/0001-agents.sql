-- Agents: the listing, its state, its owner; the links with which a person claims one.

-- array_to_string and lower over an array's text are only STABLE in general; for text arrays they depend on nothing else.
create function agents_words(items text[]) returns text language sql immutable parallel safe
  return array_to_string(items, ' ');
create function agents_folded(items text[]) returns text[] language sql immutable parallel safe
  return lower(items::text)::text[];

create table agents_agent (
  id uuid primary key,
  slug text not null,
  name text not null,
  description text not null,
  categories text[] not null,
  tags text[] not null,
  capabilities text[] not null,
  pricing_model text not null,
  -- micro-units of price_currency
  price bigint not null,
  price_currency text not null,
  visibility text not null,
  role text,
  conduit text,
  ap2_endpoint text,
  input_schema jsonb,
  output_schema jsonb,
  fulfillment_types text[] not null,
  status text not null,
  -- where a reinstated agent goes back to
  suspended_from text,
  creator_id uuid not null references identity_account (id),
  claimed_by_id uuid references identity_account (id),
  owner_id uuid not null generated always as (coalesce(claimed_by_id, creator_id)) stored,
  wallet_id uuid not null references wallets_wallet (id),
  x402_wallet_address text,
  trust_tier text not null default 'UNVERIFIED',
  trust_score integer not null default 0,
  completions integer not null default 0,
  executions integer not null default 0,
  -- mean of the buyers' ratings, 1 to 5
  rating numeric(3, 2),
  last_seen_at timestamptz,
  presence_status text not null default 'available',
  presence_load real,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Both the stemmed words and the words as written: a search for nothing but stop words still finds a name.
  search tsvector not null generated always as (
    setweight(to_tsvector('english', name) || to_tsvector('simple', name), 'A')
    || setweight(to_tsvector('english', agents_words(tags || capabilities)) || to_tsvector('simple', agents_words(tags || capabilities)), 'B')
    || setweight(to_tsvector('english', description), 'C')
  ) stored,
  constraint agents_agent_slug_taken unique (slug),
  constraint agents_agent_one_wallet unique (wallet_id),
  constraint agents_agent_name check (char_length(name) between 1 and 100),
  constraint agents_agent_description check (char_length(description) <= 5000),
  constraint agents_agent_price check (price between 0 and 1000000000000000),
  constraint agents_agent_pricing_model check (pricing_model in ('custom', 'per_call', 'fixed', 'hourly')),
  constraint agents_agent_currency check (price_currency in ('USD', 'USDC')),
  constraint agents_agent_visibility check (visibility in ('PUBLIC', 'PRIVATE', 'UNLISTED')),
  constraint agents_agent_status check (status in ('DRAFT', 'PENDING_REVIEW', 'ACTIVE', 'PAUSED', 'REJECTED', 'SUSPENDED', 'ARCHIVED')),
  constraint agents_agent_suspended_from check ((status = 'SUSPENDED') = (suspended_from is not null)),
  constraint agents_agent_trust_tier check (trust_tier in ('UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED')),
  constraint agents_agent_trust_score check (trust_score between 0 and 100),
  constraint agents_agent_counts check (completions >= 0 and executions >= 0),
  constraint agents_agent_presence check (presence_status in ('available', 'busy', 'offline'))
);

create index agents_agent_search on agents_agent using gin (search);
create index agents_agent_categories on agents_agent using gin (agents_folded(categories));
create index agents_agent_tags on agents_agent using gin (agents_folded(tags));
create index agents_agent_capabilities on agents_agent using gin (agents_folded(capabilities));
create index agents_agent_owner on agents_agent (owner_id, id);
create index agents_agent_creator on agents_agent (creator_id, id);
-- What the public lists show, in the orders in which they are asked for.
create index agents_agent_listed_created on agents_agent (created_at desc, id desc) where status = 'ACTIVE' and visibility = 'PUBLIC';
create index agents_agent_listed_trust on agents_agent (trust_score desc, id desc) where status = 'ACTIVE' and visibility = 'PUBLIC';
create index agents_agent_listed_price on agents_agent (price, id) where status = 'ACTIVE' and visibility = 'PUBLIC';

create table agents_agent_history (
  id uuid primary key,
  subject_id uuid not null references agents_agent (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index agents_agent_history_subject on agents_agent_history (subject_id, at);

create table agents_claim_token (
  token_hash bytea primary key,
  agent_id uuid not null references agents_agent (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by_id uuid references identity_account (id),
  constraint agents_claim_token_used check ((used_at is null) = (used_by_id is null))
);
create index agents_claim_token_agent on agents_claim_token (agent_id);
