-- outside a transaction
-- For the limit of open needs, and for the deletion of an account.
drop index concurrently if exists market_need_account_open;
create index concurrently market_need_account_open on market_need (account_id) where status = 'OPEN';
