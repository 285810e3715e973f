-- Applications, the plan of each affiliate, and the clicks on its links.

-- ACTIVE, as in the other state machines.
alter table affiliates_profile drop constraint affiliates_profile_status_known;
update affiliates_profile set status = 'ACTIVE' where status = 'APPROVED';
alter table affiliates_profile
  add constraint affiliates_profile_status check (status in ('PENDING', 'ACTIVE', 'REJECTED', 'SUSPENDED')),
  add column website text,
  add column channels text[] not null default '{}',
  add column review_reason text,
  -- of the fee on what the referrals of a referral sell; null for that of the tier
  add column level2_bps integer,
  add column hold_days integer not null default 30,
  -- the rate was set by an admin: the tier does not change it
  add column custom_plan boolean not null default false,
  add constraint affiliates_profile_level2_bps check (level2_bps between 0 and 10000),
  add constraint affiliates_profile_hold_days check (hold_days between 0 and 365);
create index affiliates_profile_status on affiliates_profile (status, id);

create table affiliates_profile_history (
  id uuid primary key,
  subject_id uuid not null references affiliates_profile (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index affiliates_profile_history_subject_id on affiliates_profile_history (subject_id);

create table affiliates_click (
  id uuid primary key,
  profile_id uuid not null references affiliates_profile (id),
  destination text not null,
  utm_source text,
  utm_medium text,
  utm_campaign text,
  -- keyed hash of address and browser, which changes every day: recognizes a repeat and nobody
  visitor bytea not null,
  bot boolean not null,
  repeated boolean not null,
  at timestamptz not null
);
create index affiliates_click_profile_id on affiliates_click (profile_id, at);
create index affiliates_click_visitor on affiliates_click (profile_id, visitor);

-- The click that a referral came from.
alter table affiliates_referral
  add column click_id uuid references affiliates_click (id),
  drop constraint affiliates_referral_source_known,
  add constraint affiliates_referral_source check (source in ('registration', 'click')),
  add constraint affiliates_referral_click check ((source = 'click') = (click_id is not null));
create index affiliates_referral_click_id on affiliates_referral (click_id) where click_id is not null;
