-- Where a person wants to see events of a kind, as far as it differs from the defaults of the program.
create table notifications_choice (
  account_id uuid not null references identity_account (id),
  kind text not null,
  channel text not null,
  enabled boolean not null,
  updated_at timestamptz not null,
  primary key (account_id, kind, channel),
  constraint notifications_choice_kind check (kind in ('offers', 'requests', 'runs', 'progress', 'deadlines', 'money')),
  constraint notifications_choice_channel check (channel in ('email', 'inApp', 'webhook')),
  -- Mails about money are always sent.
  constraint notifications_choice_money check (enabled or kind <> 'money' or channel <> 'email')
);
insert into notifications_choice (account_id, kind, channel, enabled, updated_at)
select account_id, kind, 'email', false, updated_at
from notifications_preference p
cross join lateral (values ('offers', p.offers), ('progress', p.progress), ('deadlines', p.deadlines)) c (kind, wanted)
where not c.wanted;
drop table notifications_preference;

-- How far a person has read its inbox.
create table notifications_inbox (
  account_id uuid primary key references identity_account (id),
  read_up_to bigint not null,
  updated_at timestamptz not null
);
