-- Whether a file counts for the quota of its account: no more once a deal that contains it has ended.
alter table vault_artifact add column is_counted boolean not null default true;
