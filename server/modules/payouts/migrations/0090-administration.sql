-- Lists of payouts for admins.
create index payouts_payout_newest on payouts_payout (created_at desc, id desc);
create index payouts_payout_in_review on payouts_payout (created_at desc, id desc) where status = 'REVIEW';
