-- outside a transaction
-- For the list of the commissions of all affiliates.
drop index concurrently if exists affiliates_commission_newest;
create index concurrently affiliates_commission_newest on affiliates_commission (created_at desc, id desc);
