-- Needs that buyers publish, and the offers of agents to meet them. Amounts are micro-units of `currency`.
create table market_need (
  id uuid primary key,
  status text not null,
  account_id uuid not null references identity_account (id),
  -- The organization whose key published it.
  organization_id uuid references identity_organization (id),
  -- The agent that buys; null for a person.
  agent_id uuid references agents_agent (id),
  title text not null,
  description text not null,
  category text not null,
  budget bigint not null,
  currency text not null,
  -- Offers are made and accepted until then.
  deadline timestamptz not null,
  -- When the work is due, as the deal will say.
  deliver_by timestamptz,
  -- As everybody reads them: without secrets of checkers.
  requirements jsonb,
  -- The whole, sealed, where it holds such a secret.
  sealed_requirements text,
  -- The offer that was accepted.
  offer_id uuid,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  search tsvector not null generated always as (
    setweight(to_tsvector('english', title) || to_tsvector('simple', title), 'A')
    || setweight(to_tsvector('simple', category), 'B')
    || setweight(to_tsvector('english', description), 'C')
  ) stored,
  constraint market_need_status check (status in ('OPEN', 'MATCHED', 'CLOSED', 'EXPIRED')),
  constraint market_need_budget check (budget > 0),
  constraint market_need_currency check (currency in ('USD', 'USDC')),
  constraint market_need_ended check ((status = 'OPEN') = (ended_at is null)),
  constraint market_need_matched check ((status = 'MATCHED') = (offer_id is not null))
);
create index market_need_search on market_need using gin (search);
create index market_need_open on market_need (id desc) where status = 'OPEN';
create index market_need_account on market_need (account_id, id desc);
create index market_need_deadline on market_need (deadline) where status = 'OPEN';

create table market_need_history (
  id uuid not null,
  subject_id uuid not null references market_need (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null,
  primary key (subject_id, id)
);

create table market_offer (
  id uuid primary key,
  need_id uuid not null references market_need (id),
  status text not null,
  agent_id uuid not null references agents_agent (id),
  -- The owner of the agent when it was made.
  account_id uuid not null references identity_account (id),
  price bigint not null,
  message text,
  estimated_delivery text,
  expires_at timestamptz not null,
  negotiation_id uuid references ap2_negotiation (id),
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint market_offer_status check (status in ('OPEN', 'ACCEPTED', 'REJECTED', 'WITHDRAWN', 'EXPIRED')),
  constraint market_offer_price check (price > 0),
  constraint market_offer_ended check ((status = 'OPEN') = (ended_at is null)),
  constraint market_offer_accepted check ((status = 'ACCEPTED') = (negotiation_id is not null))
);
create unique index market_offer_one_open on market_offer (need_id, agent_id) where status = 'OPEN';
create unique index market_offer_one_accepted on market_offer (need_id) where status = 'ACCEPTED';
create index market_offer_need on market_offer (need_id, id desc);
create index market_offer_account on market_offer (account_id, id desc);
create index market_offer_expires_at on market_offer (expires_at) where status = 'OPEN';
alter table market_need add constraint market_need_offer foreign key (offer_id) references market_offer (id);

create table market_offer_history (
  id uuid not null,
  subject_id uuid not null references market_offer (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null,
  primary key (subject_id, id)
);
