-- What an agent may spend, and with whom it may deal by itself: its budget and its autonomy policy, in one row, which
-- every spend locks. An agent without a row has no limits. Amounts are micro-units; a USDC counts as a dollar.
create table spending_limit (
  agent_id uuid primary key references agents_agent (id),
  -- The budget.
  monthly_limit bigint,
  per_transaction_limit bigint,
  approval_threshold bigint,
  approval_mode text not null default 'AUTO',
  auto_reload boolean not null default true,
  -- Begin of the period that does not end; null while each month is a period.
  period_start timestamptz,
  -- The policy.
  per_deal_limit bigint,
  daily_limit bigint,
  policy_threshold bigint,
  allowed_counterparties uuid[] not null default '{}',
  blocked_counterparties uuid[] not null default '{}',
  categories text[] not null default '{}',
  minimum_tier text not null default 'UNVERIFIED',
  policy_updated_at timestamptz,
  constraint spending_limit_mode check (approval_mode in ('AUTO', 'MANUAL')),
  constraint spending_limit_period check (auto_reload = (period_start is null)),
  constraint spending_limit_tier check (minimum_tier in ('UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED')),
  constraint spending_limit_budget check (monthly_limit >= 0 and per_transaction_limit >= 0 and approval_threshold >= 0),
  constraint spending_limit_policy check (per_deal_limit >= 0 and daily_limit >= 0 and policy_threshold >= 0)
);

-- What an agent spent; what came back counts for the period in which it was spent.
create table spending_spend (
  -- Of the escrow or the payment.
  reference uuid primary key,
  agent_id uuid not null references agents_agent (id),
  amount bigint not null,
  returned bigint not null default 0,
  spent_at timestamptz not null,
  constraint spending_spend_amount check (amount > 0),
  constraint spending_spend_returned check (returned between 0 and amount)
);
create index spending_spend_agent on spending_spend (agent_id, spent_at);
