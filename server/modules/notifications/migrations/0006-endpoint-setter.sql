-- Which account set the endpoint: that of the creator ends with its access to a claimed agent.
alter table notifications_endpoint add column set_by uuid;
