-- Whom else the private part of an event may name (account ids): it goes with any of them. The id of a request is the
-- caller's free text, so it goes with the rest.
alter table platform_audit_private add column about text[] not null default '{}';
alter table platform_audit_private add column request_id text;
create index platform_audit_private_about on platform_audit_private using gin (about);
comment on column platform_audit.request_id is 'of events older than platform_audit_private.request_id; null in all others';
