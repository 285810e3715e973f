-- Since when an account is an admin, in business time, and who made it one alone: the two do not decide for each other.
alter table identity_account add column admin_since timestamptz;
alter table identity_account add column promoted_by uuid references identity_account (id);
update identity_account set admin_since = created_at where role = 'ADMIN';
