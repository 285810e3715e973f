-- How each deal of an agent ended: the evidence behind tier and score. One row per deal, appended once.

create table trust_outcome (
  agent_id uuid not null references agents_agent (id),
  deal_id uuid not null,
  counterparty_account_id uuid not null references identity_account (id),
  outcome text not null,
  on_time boolean not null,
  disputed boolean not null,
  self_deal boolean not null,
  test boolean not null,
  at timestamptz not null,
  primary key (agent_id, deal_id),
  constraint trust_outcome_known check (outcome in ('COMPLETED', 'FAILED'))
);
create index trust_outcome_evidence on trust_outcome (agent_id, at desc) where not self_deal;

-- One row, written at each start from the mode of the service: deals in test credit count in sandbox mode alone.
create table trust_policy (
  only_row boolean primary key default true,
  test_deals_count boolean not null,
  constraint trust_policy_one_row check (only_row)
);
insert into trust_policy (test_deals_count) values (false);
