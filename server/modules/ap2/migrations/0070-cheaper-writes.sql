-- A change of status alone no longer writes to every index of the row: no index names the status in its condition. The
-- constraints say that each deadline exists in its own states only.
drop index ap2_negotiation_expires_at, ap2_negotiation_fund_by;
create index ap2_negotiation_expires_at on ap2_negotiation (expires_at) where expires_at is not null;
create index ap2_negotiation_fund_by on ap2_negotiation (fund_by) where fund_by is not null;
alter table ap2_negotiation set (fillfactor = 80);

-- Milestones are found by the unique (escrow_id, key), and an escrow has few.
drop index ap2_milestone_escrow;
