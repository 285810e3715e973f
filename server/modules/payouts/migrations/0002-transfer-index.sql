-- To find the payout that a transfer at the processor belongs to.
create index payouts_payout_transfer_id on payouts_payout (transfer_id) where transfer_id is not null;
-- To compare what ended in a period with the lists of the processor and of the chain.
create index payouts_payout_completed_at on payouts_payout (completed_at) where completed_at is not null;
