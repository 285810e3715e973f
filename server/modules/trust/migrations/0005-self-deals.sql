-- outside a transaction
-- For the newest deals that do not count: trust_outcome_evidence has the others.
drop index concurrently if exists trust_outcome_self_deals;
create index concurrently trust_outcome_self_deals on trust_outcome (agent_id, at desc) where self_deal;
