-- The address of the hosted page of a payment, so that the payer finds a page again that was left.
alter table payments_intent add column checkout_url text;
