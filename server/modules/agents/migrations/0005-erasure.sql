-- Deleting an account no longer looks for its names in the texts of others.
alter table agents_agent drop column named_at;
