-- Whether the last attempt at the endpoint failed: it gets one message at a time until one succeeds.
alter table notifications_endpoint add column failing boolean not null default false;
