-- outside a transaction
-- For the list of an account or an agent, the newest first; the first one serves what the index of the account did.
drop index concurrently if exists vault_artifact_listed;
create index concurrently vault_artifact_listed on vault_artifact (account_id, id);
drop index concurrently if exists vault_artifact_agent;
create index concurrently vault_artifact_agent on vault_artifact (agent_id, id) where agent_id is not null;
drop index concurrently if exists vault_artifact_account;
