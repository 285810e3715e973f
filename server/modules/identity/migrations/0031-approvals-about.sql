-- Whose money an approval is about: with these accounts their names go from its texts.
alter table identity_approval add column about uuid[] not null default '{}';
