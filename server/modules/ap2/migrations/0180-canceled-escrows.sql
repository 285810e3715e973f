-- outside a transaction
-- The payments of a deal that were not made: its timeline shows them, and no other index has their negotiation.
drop index concurrently if exists ap2_escrow_canceled;
create index concurrently ap2_escrow_canceled on ap2_escrow (negotiation_id) where status = 'CANCELLED';
