-- outside a transaction
-- For the last removal of an admin: few accounts were one.
drop index concurrently if exists identity_account_removed_admins;
create index concurrently identity_account_removed_admins on identity_account (admin_removed_at)
  where admin_removed_at is not null;
-- For all keys of a service account: identity_key_one_active has the active ones only.
drop index concurrently if exists identity_key_service_account;
create index concurrently identity_key_service_account on identity_key (service_account_id)
  where service_account_id is not null;
-- For the sessions of an account that are older than a key: identity_session_account has the open ones only.
drop index concurrently if exists identity_session_account_all;
create index concurrently identity_session_account_all on identity_session (account_id, created_at);
