-- The deal of a run (module runs): the run alone pays or refunds it.
alter table ap2_negotiation add column is_run boolean not null default false;
