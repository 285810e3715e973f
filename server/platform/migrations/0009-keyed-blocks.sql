-- Version 2: the hash is an HMAC with a key that this database does not hold. Without a default, so that an instance of
-- the version before, which would add an unkeyed block, cannot.
alter table platform_audit_block add column version smallint not null default 1;
alter table platform_audit_block alter column version drop default, add constraint platform_audit_block_version check (version in (1, 2));
