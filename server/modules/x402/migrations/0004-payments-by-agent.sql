-- outside a transaction
-- For the deletion of an account: the requests to its agents.
drop index concurrently if exists x402_payment_agent_id;
create index concurrently x402_payment_agent_id on x402_payment (agent_id) where agent_id is not null;
