-- locks: changes suspended admins only, which an index finds; there are a few at most
alter table identity_account add column admin_removed_at timestamptz;
comment on column identity_account.admin_removed_at is
  'when the account was suspended as an admin or lost the role last, in business time: the requester of an approval waits again';
update identity_account set admin_removed_at = updated_at where role = 'ADMIN' and status = 'SUSPENDED';
