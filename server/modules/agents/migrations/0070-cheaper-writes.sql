-- Free space on the page of a row whose counters change: then the change does not write to all indexes.
alter table agents_agent set (fillfactor = 70);
