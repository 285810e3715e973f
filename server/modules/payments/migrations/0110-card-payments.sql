-- Where a payer goes who leaves the hosted page without paying, and whether the payer wants receipts by mail.
alter table payments_intent
  add column cancel_url text,
  add column receipt boolean not null default false;
alter table payments_intent alter column receipt drop default;
