-- False from when a payment by card is stored until its charge is about to be sent: meanwhile the payer may give it up. The
-- default is for payments that an older version stored, whose charge may have been sent.
alter table payments_intent add column charge_sent boolean not null default true;
