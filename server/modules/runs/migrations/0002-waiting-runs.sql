-- outside a transaction
-- What an agent has to work on: without it, each look at the inbox of an agent reads every run that the agent ever had.
-- A run that ends leaves the index of its deadline too, so that its update is no dearer.
drop index concurrently if exists runs_run_waiting;
create index concurrently runs_run_waiting on runs_run (agent_id, id)
  where status in ('PENDING', 'RUNNING') and call_at is null;
