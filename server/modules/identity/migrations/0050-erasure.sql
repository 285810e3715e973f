-- Deleting an account no longer looks for its names in the texts of others.
alter table identity_account drop column display_name_at;
alter table identity_approval drop column about;
