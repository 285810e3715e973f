-- How many reports of the processor were stored: a reading that began before the last of them is not stored any more.
alter table payouts_account add column reports integer not null default 0;
