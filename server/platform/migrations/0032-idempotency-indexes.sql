-- outside a transaction
-- For the sweep. A summary of ranges of pages (BRIN) still holds the times of deleted keys when their pages are used again:
-- after 72 hours each sweep read the whole table.
drop index concurrently if exists platform_idempotency_expiry;
create index concurrently platform_idempotency_expiry on platform_idempotency (expires_at);
drop index concurrently if exists platform_idempotency_expires_at;
-- For the deletion of an account, whose id begins the scope. The primary key finds a prefix in databases with collation C only.
drop index concurrently if exists platform_idempotency_account;
create index concurrently platform_idempotency_account on platform_idempotency ((left(scope, 36) collate "C"));
