-- As of ledger_journal: a pattern is compiled again for each row that it checks.
alter table platform_audit drop constraint platform_audit_hash_is_sha256,
  add constraint platform_audit_hash_is_sha256 check (octet_length(hash) = 64 and encode(decode(hash, 'hex'), 'hex') = hash) not valid;
