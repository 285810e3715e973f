-- outside a transaction
-- For GET /admin/audit?action=: without it the search for a rare action read the whole log.
drop index concurrently if exists platform_audit_action;
create index concurrently platform_audit_action on platform_audit (action, at desc, id desc);
