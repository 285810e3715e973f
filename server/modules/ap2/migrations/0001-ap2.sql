-- Deals: negotiations, their rounds, escrows with milestones, deliveries, disputes. Amounts are micro-units of `currency`.

create table ap2_negotiation (
  id uuid primary key,
  status text not null,
  buyer_account_id uuid not null references identity_account (id),
  buyer_agent_id uuid references agents_agent (id),
  seller_account_id uuid not null references identity_account (id),
  -- null where a wallet paid a wallet that is no agent's
  seller_agent_id uuid references agents_agent (id),
  self_deal boolean not null,
  requested_service text not null,
  currency text not null,
  -- what the buyer offered last
  budget bigint not null,
  -- on the table now, and whose word it is
  price bigint not null,
  offered_by text not null,
  round integer not null default 1,
  requirements jsonb,
  -- JSON Schema that a result must fit; fixed when the deal is made
  acceptance_schema jsonb,
  notes text,
  -- [{key, title, amount}] as agreed; null for a deal in one piece
  milestones jsonb,
  -- agreed; null means 30 days from the hold
  deliver_by timestamptz,
  auto_release_days integer not null,
  referrer_agent_id uuid,
  -- how long a side may stay silent
  silence_seconds integer not null,
  expires_at timestamptz,
  fund_by timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint ap2_negotiation_status check (status in ('PENDING', 'COUNTERED', 'ACCEPTED', 'ESCROWED', 'IN_PROGRESS', 'DELIVERED',
    'COMPLETED', 'REFUNDED', 'SPLIT', 'REJECTED', 'CANCELLED', 'EXPIRED')),
  constraint ap2_negotiation_amounts check (budget > 0 and price > 0),
  constraint ap2_negotiation_currency check (currency in ('USD', 'USDC')),
  constraint ap2_negotiation_offered_by check (offered_by in ('buyer', 'seller')),
  constraint ap2_negotiation_rounds check (round between 1 and 10),
  constraint ap2_negotiation_auto_release check (auto_release_days between 1 and 30),
  constraint ap2_negotiation_open_expires check ((status in ('PENDING', 'COUNTERED')) = (expires_at is not null)),
  constraint ap2_negotiation_accepted_has_deadline check ((status = 'ACCEPTED') = (fund_by is not null)),
  constraint ap2_negotiation_end_has_time check ((status in ('COMPLETED', 'REFUNDED', 'SPLIT', 'REJECTED', 'CANCELLED', 'EXPIRED')) = (ended_at is not null))
);
create index ap2_negotiation_expires_at on ap2_negotiation (expires_at) where status in ('PENDING', 'COUNTERED');
create index ap2_negotiation_fund_by on ap2_negotiation (fund_by) where status = 'ACCEPTED';
create index ap2_negotiation_buyer on ap2_negotiation (buyer_account_id, id desc);
create index ap2_negotiation_seller on ap2_negotiation (seller_account_id, id desc);
create index ap2_negotiation_buyer_agent on ap2_negotiation (buyer_agent_id, id desc) where buyer_agent_id is not null;
create index ap2_negotiation_seller_agent on ap2_negotiation (seller_agent_id, id desc) where seller_agent_id is not null;

create table ap2_negotiation_history (
  id uuid primary key,
  subject_id uuid not null references ap2_negotiation (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index ap2_negotiation_history_subject on ap2_negotiation_history (subject_id, at, id);

-- What each side said; the row of a round that names a price put that price on the table.
create table ap2_round (
  id uuid primary key,
  negotiation_id uuid not null references ap2_negotiation (id),
  round integer not null,
  action text not null,
  side text not null,
  actor_id uuid,
  price bigint not null,
  terms text,
  notes text,
  estimated_delivery text,
  at timestamptz not null,
  constraint ap2_round_action check (action in ('PROPOSED', 'COUNTERED', 'ACCEPTED', 'REJECTED')),
  constraint ap2_round_side check (side in ('buyer', 'seller'))
);
create index ap2_round_negotiation on ap2_round (negotiation_id, at, id);

create table ap2_escrow (
  id uuid primary key,
  negotiation_id uuid not null references ap2_negotiation (id),
  status text not null,
  buyer_wallet_id uuid not null references wallets_wallet (id),
  seller_wallet_id uuid not null references wallets_wallet (id),
  currency text not null,
  test boolean not null,
  amount bigint not null,
  released bigint not null default 0,
  refunded bigint not null default 0,
  -- of what was released
  fees bigint not null default 0,
  fee_bps integer not null,
  -- how many releases and refunds were posted: they number the ledger keys
  releases integer not null default 0,
  refunds integer not null default 0,
  -- a part was released without a verified delivery
  unverified boolean not null default false,
  changes_requested integer not null default 0,
  deliver_by timestamptz not null,
  -- while FROZEN: where it stood, why, and since when its timers stand still
  original_status text,
  freezes text[] not null default '{}',
  frozen_at timestamptz,
  -- while DISPUTED
  disputed_at timestamptz,
  answer_by timestamptz,
  lapses_at timestamptz,
  purpose text,
  memo text,
  metadata jsonb,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint ap2_escrow_one_per_negotiation unique (negotiation_id),
  constraint ap2_escrow_status check (status in ('HELD', 'DISPUTED', 'FROZEN', 'RELEASED', 'REFUNDED', 'SPLIT')),
  constraint ap2_escrow_currency check (currency in ('USD', 'USDC')),
  constraint ap2_escrow_wallets_differ check (buyer_wallet_id <> seller_wallet_id),
  constraint ap2_escrow_parts check (released >= 0 and refunded >= 0 and released + refunded <= amount and fees between 0 and released),
  constraint ap2_escrow_live_holds check ((status in ('HELD', 'DISPUTED', 'FROZEN')) = (released + refunded < amount)),
  constraint ap2_escrow_released check (status <> 'RELEASED' or refunded = 0),
  constraint ap2_escrow_refunded check (status <> 'REFUNDED' or released = 0),
  constraint ap2_escrow_split check (status <> 'SPLIT' or (released > 0 and refunded > 0)),
  constraint ap2_escrow_fee check (fee_bps between 0 and 10000),
  constraint ap2_escrow_changes check (changes_requested between 0 and 3),
  constraint ap2_escrow_frozen check ((status = 'FROZEN') = (frozen_at is not null) and (status = 'FROZEN') = (original_status is not null)
    and (status = 'FROZEN') = (cardinality(freezes) > 0)),
  constraint ap2_escrow_disputed check (('DISPUTED' in (status, coalesce(original_status, ''))) = (disputed_at is not null)
    and (disputed_at is not null) = (lapses_at is not null) and (answer_by is null or disputed_at is not null)),
  constraint ap2_escrow_end_has_time check ((status in ('RELEASED', 'REFUNDED', 'SPLIT')) = (ended_at is not null))
);
create index ap2_escrow_deliver_by on ap2_escrow (deliver_by) where status = 'HELD';
create index ap2_escrow_answer_by on ap2_escrow (answer_by) where status = 'DISPUTED';
create index ap2_escrow_lapses_at on ap2_escrow (lapses_at) where status = 'DISPUTED';
create index ap2_escrow_live_buyer_wallet on ap2_escrow (buyer_wallet_id) where status in ('HELD', 'DISPUTED', 'FROZEN');

create table ap2_escrow_history (
  id uuid primary key,
  subject_id uuid not null references ap2_escrow (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index ap2_escrow_history_subject on ap2_escrow_history (subject_id, at, id);

-- What is delivered and released by itself. A deal in one piece has one, which answers do not show.
create table ap2_milestone (
  id uuid primary key,
  escrow_id uuid not null references ap2_escrow (id),
  place integer not null,
  key text not null,
  title text not null,
  amount bigint not null,
  released bigint not null default 0,
  delivery_status text not null default 'NONE',
  verified_at timestamptz,
  auto_release_at timestamptz,
  constraint ap2_milestone_key unique (escrow_id, key),
  constraint ap2_milestone_parts check (amount > 0 and released between 0 and amount),
  constraint ap2_milestone_delivery check (delivery_status in ('NONE', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED')),
  constraint ap2_milestone_verified check ((delivery_status = 'VERIFIED') = (verified_at is not null)),
  constraint ap2_milestone_auto_release check ((delivery_status = 'VERIFIED' and released < amount) = (auto_release_at is not null))
);
create index ap2_milestone_escrow on ap2_milestone (escrow_id, place);
create index ap2_milestone_auto_release_at on ap2_milestone (auto_release_at) where auto_release_at is not null;

create table ap2_delivery (
  id uuid primary key,
  negotiation_id uuid not null references ap2_negotiation (id),
  escrow_id uuid not null references ap2_escrow (id),
  milestone_id uuid not null references ap2_milestone (id),
  attempt integer not null,
  status text not null,
  actor_id uuid,
  result jsonb,
  deliverable_url text,
  artifacts jsonb,
  evidence jsonb,
  notes text,
  hints jsonb,
  -- what the verifier saw
  report jsonb,
  tries integer not null default 0,
  verify_again_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint ap2_delivery_status check (status in ('SUBMITTED', 'VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED')),
  constraint ap2_delivery_attempt unique (escrow_id, attempt),
  constraint ap2_delivery_verifying check ((status in ('SUBMITTED', 'VERIFYING')) = (verify_again_at is not null)),
  constraint ap2_delivery_end_has_report check (status in ('SUBMITTED', 'VERIFYING') or report is not null)
);
create unique index ap2_delivery_one_under_way on ap2_delivery (milestone_id) where status in ('SUBMITTED', 'VERIFYING');
create index ap2_delivery_verify_again_at on ap2_delivery (verify_again_at) where status in ('SUBMITTED', 'VERIFYING');

create table ap2_delivery_history (
  id uuid primary key,
  subject_id uuid not null references ap2_delivery (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index ap2_delivery_history_subject on ap2_delivery_history (subject_id, at, id);

-- In the database and not in a folder: every instance can show it, and a backup holds it.
create table ap2_screenshot (
  delivery_id uuid primary key references ap2_delivery (id),
  sha256 text not null,
  png bytea not null
);

create table ap2_dispute (
  id uuid primary key,
  escrow_id uuid not null references ap2_escrow (id),
  opened_by text not null,
  opener_id uuid not null,
  asks text not null,
  -- the seller's share where a split is asked for
  seller_bps integer,
  reason text not null,
  evidence jsonb,
  answer text,
  answered_at timestamptz,
  opened_at timestamptz not null,
  ended_at timestamptz,
  outcome text,
  constraint ap2_dispute_opened_by check (opened_by in ('buyer', 'seller')),
  constraint ap2_dispute_asks check (asks in ('RELEASE', 'REFUND', 'SPLIT')),
  constraint ap2_dispute_split check ((asks = 'SPLIT') = (seller_bps is not null) and (seller_bps is null or seller_bps between 1 and 9999)),
  constraint ap2_dispute_answer check ((answer is null) = (answered_at is null)),
  constraint ap2_dispute_end check ((ended_at is null) = (outcome is null))
);
create unique index ap2_dispute_one_open on ap2_dispute (escrow_id) where ended_at is null;
create index ap2_dispute_escrow on ap2_dispute (escrow_id, opened_at);
