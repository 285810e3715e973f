-- Who refers others, under which code, and what share of the platform's fee that earns.

create table affiliates_profile (
  id uuid primary key,
  account_id uuid not null,
  code text not null,
  display_name text not null,
  status text not null,
  tier text not null default 'SCOUT',
  rate_bps integer not null,
  months integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint affiliates_profile_status_known check (status in ('PENDING', 'APPROVED', 'REJECTED', 'SUSPENDED')),
  constraint affiliates_profile_tier_known check (tier in ('SCOUT', 'BUILDER', 'CAPTAIN', 'ARCHITECT')),
  constraint affiliates_profile_rate_is_share check (rate_bps between 0 and 10000),
  constraint affiliates_profile_months_positive check (months > 0)
);
create unique index affiliates_profile_one_per_account on affiliates_profile (account_id);
create unique index affiliates_profile_code_taken on affiliates_profile (lower(code));
