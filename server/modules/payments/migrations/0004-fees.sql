-- The processor's fee that was booked with a payment: a notification that names it may come after the first one.
-- Null for payments older than this column: theirs is not looked at again.
alter table payments_intent add column fee_cents bigint;
