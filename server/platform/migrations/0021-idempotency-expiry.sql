-- Only the sweep reads by this column, whose values grow with the table: a summary of each range of pages is enough for it.
drop index platform_idempotency_expires_at;
create index platform_idempotency_expires_at on platform_idempotency using brin (expires_at) with (autosummarize = on);
