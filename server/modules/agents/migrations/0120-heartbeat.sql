-- When the agent last said how it is: its use of the API shows that it is there, but not whether it is busy.
alter table agents_agent add column heartbeat_at timestamptz;
update agents_agent set heartbeat_at = last_seen_at where last_seen_at is not null;
