-- What a lost chargeback took from each account: a further dispute of the payment must not take it again.
alter table payments_chargeback add column lost_parts jsonb;
