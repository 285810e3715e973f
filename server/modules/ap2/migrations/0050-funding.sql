-- Funding has two phases on every rail: reserved, then the funds are confirmed and the escrow is HELD. A wallet confirms at
-- once. An escrow whose funding failed is CANCELLED, and its negotiation may be funded again.

alter table ap2_escrow
  add column rail text not null default 'wallet',
  -- until when the funds must be confirmed
  add column fund_by timestamptz,
  add constraint ap2_escrow_rail check (rail in ('wallet', 'card', 'x402')),
  add constraint ap2_escrow_funding check ((status = 'PENDING_FUNDING') = (fund_by is not null)),
  drop constraint ap2_escrow_one_per_negotiation,
  drop constraint ap2_escrow_status,
  add constraint ap2_escrow_status check (status in
    ('PENDING_FUNDING', 'HELD', 'DISPUTED', 'FROZEN', 'RELEASED', 'REFUNDED', 'SPLIT', 'CANCELLED')),
  drop constraint ap2_escrow_live_holds,
  add constraint ap2_escrow_live_holds check
    ((status in ('PENDING_FUNDING', 'HELD', 'DISPUTED', 'FROZEN', 'CANCELLED')) = (released + refunded < amount)),
  drop constraint ap2_escrow_end_has_time,
  add constraint ap2_escrow_end_has_time check
    ((status in ('RELEASED', 'REFUNDED', 'SPLIT', 'CANCELLED')) = (ended_at is not null));
alter table ap2_escrow alter column rail drop default;

create unique index ap2_escrow_one_per_negotiation on ap2_escrow (negotiation_id) where status <> 'CANCELLED';
create index ap2_escrow_fund_by on ap2_escrow (fund_by) where status = 'PENDING_FUNDING';
