-- Since when the listing bears its name and slug: only later texts can mean somebody by them.
alter table agents_agent add column named_at timestamptz;
update agents_agent set named_at = greatest(created_at, updated_at);
alter table agents_agent alter column named_at set not null;
