-- What affiliates earn from the platform's fee of a deal. One row per deal and level while the deal holds money (EXPECTED);
-- each release turns a part of it, the last one the rest, into a row that waits for the end of its hold period.
create table affiliates_commission (
  id uuid primary key,
  profile_id uuid not null references affiliates_profile (id),
  escrow_id uuid not null,
  negotiation_id uuid not null,
  -- 1: of the affiliate; 2: of the one who brought that affiliate
  level smallint not null,
  -- number of the release that it is from; 0 while none is
  release integer not null default 0,
  -- why this affiliate: the deal named its agent, or it brought the buyer or the seller
  source text not null,
  rate_bps integer not null,
  hold_days integer not null,
  currency text not null,
  -- while EXPECTED: what a release of everything would bring; afterwards what was posted
  amount bigint not null,
  clawed_back bigint not null default 0,
  -- fees of verified releases so far, and what they brought; they round on the sum, so that the parts add up
  counted_fees bigint not null default 0,
  counted_commission bigint not null default 0,
  status text not null,
  fraud_reason text,
  -- end of the hold period, or of the time in which an admin decides about suspected fraud
  due_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint affiliates_commission_level check (level in (1, 2)),
  constraint affiliates_commission_source check (source in ('deal', 'buyer', 'seller')),
  constraint affiliates_commission_rate check (rate_bps between 1 and 3500),
  constraint affiliates_commission_amount check (amount >= 0 and clawed_back between 0 and amount),
  constraint affiliates_commission_status check (
    status in ('EXPECTED', 'PENDING', 'AVAILABLE', 'PAID', 'CANCELLED', 'CLAWED_BACK', 'FRAUD_HOLD')),
  constraint affiliates_commission_release check ((release = 0) = (status in ('EXPECTED', 'CANCELLED'))),
  constraint affiliates_commission_due check ((due_at is not null) = (status in ('PENDING', 'FRAUD_HOLD'))),
  constraint affiliates_commission_paid check (status <> 'PAID' or paid_at is not null),
  constraint affiliates_commission_fraud check (status <> 'FRAUD_HOLD' or fraud_reason is not null),
  constraint affiliates_commission_one_each unique (escrow_id, level, release)
);
create index affiliates_commission_profile on affiliates_commission (profile_id, created_at desc, id);
create index affiliates_commission_pending_due on affiliates_commission (due_at) where status = 'PENDING';
create index affiliates_commission_fraud_due on affiliates_commission (due_at) where status = 'FRAUD_HOLD';

create table affiliates_commission_history (
  id uuid primary key,
  subject_id uuid not null references affiliates_commission (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index affiliates_commission_history_subject_id on affiliates_commission_history (subject_id);

-- When tier and payout of the month are next due.
alter table affiliates_profile add column month_ends_at timestamptz;
update affiliates_profile set month_ends_at = date_trunc('month', now() at time zone 'utc') at time zone 'utc' + interval '1 month';
create index affiliates_profile_month_ends_at on affiliates_profile (month_ends_at) where month_ends_at is not null;
