-- outside a transaction
-- For the due deliveries of each agent: all that are due would be read for each attempt.
drop index concurrently if exists notifications_delivery_due;
create index concurrently notifications_delivery_due on notifications_delivery (agent_id, next_attempt_at, event_id)
  where status = 'PENDING';
drop index concurrently if exists notifications_delivery_next;
