-- Whom an affiliate brought. The first binding holds; the affiliate's code then may change or end, what was promised stays.
create table affiliates_referral (
  account_id uuid primary key,
  profile_id uuid not null references affiliates_profile (id),
  source text not null,
  bound_at timestamptz not null,
  expires_at timestamptz not null,
  constraint affiliates_referral_source_known check (source in ('registration')),
  constraint affiliates_referral_lasts check (expires_at > bound_at)
);
create index affiliates_referral_profile on affiliates_referral (profile_id);
