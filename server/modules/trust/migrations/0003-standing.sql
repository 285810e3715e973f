-- What an agent has earned, updated with each outcome: counting all outcomes at each release would get slower with each deal.

create table trust_standing (
  -- the agent
  id uuid primary key references agents_agent (id),
  -- Completions that count, and those large enough for a tier.
  completions integer not null default 0,
  for_tier integer not null default 0,
  self_deals integer not null default 0,
  test_deals integer not null default 0,
  -- Counterparty -> share of what it paid that came back to it in deals, as of the last evaluation.
  returned jsonb not null default '{}',
  -- When the score is computed next, and why.
  evaluate_at timestamptz,
  reason text,
  deal_id uuid,
  evaluated_at timestamptz,
  -- Passports issued before are revoked.
  passports_revoked_at timestamptz,
  constraint trust_standing_counts check (least(completions, for_tier, self_deals, test_deals) >= 0)
);
create index trust_standing_due on trust_standing (evaluate_at) where evaluate_at is not null;

-- How score and tier of an agent changed, and why.
create table trust_history (
  id uuid primary key,
  agent_id uuid not null references agents_agent (id),
  reason text not null,
  deal_id uuid,
  tier_from text not null,
  tier_to text not null,
  score_from integer not null,
  score_to integer not null,
  at timestamptz not null,
  constraint trust_history_reason check (reason in ('DEAL_COMPLETED', 'DEAL_FAILED', 'CLAIMED', 'REVIEW', 'AGE', 'POLICY'))
);
-- By id: concurrent transactions may begin in another order than they write.
create index trust_history_agent on trust_history (agent_id, id desc);

-- Who bought from whom: the way back of the money.
create index trust_outcome_counterparty on trust_outcome (counterparty_account_id, at desc);

insert into trust_standing (id, completions, for_tier, self_deals, test_deals, evaluate_at, reason)
select agent_id, count(*) filter (where counts and outcome = 'COMPLETED'),
  count(*) filter (where counts and outcome = 'COMPLETED' and amount >= min_completion),
  count(*) filter (where self_deal), count(*) filter (where test and not self_deal), now(), 'POLICY'
from (select o.*, p.min_completion, not self_deal and (not test or p.test_deals_count) as counts
  from trust_outcome o, trust_policy p) o group by agent_id;
