-- outside a transaction
-- For each upload: what counts of an account, among all files that it ever delivered.
drop index concurrently if exists vault_artifact_counted;
create index concurrently vault_artifact_counted on vault_artifact (account_id) where is_counted;
