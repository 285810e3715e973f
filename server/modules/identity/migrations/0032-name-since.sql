-- Since when the account bears its name: only later texts can mean somebody by it.
alter table identity_account add column display_name_at timestamptz;
update identity_account set display_name_at = greatest(created_at, updated_at);
alter table identity_account alter column display_name_at set not null;
