-- Version 2: the hash is an HMAC with a key that this database does not hold. Without a default, so that an instance of
-- the version before, which would add an unkeyed block, cannot.
alter table ledger_block add column version smallint not null default 1;
alter table ledger_block alter column version drop default, add constraint ledger_block_version check (version in (1, 2));
