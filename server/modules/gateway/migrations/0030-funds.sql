-- A block of a routing balance that one instance spends without the database (ledger accounts 2045, 2046).
create table gateway_lease (
  id uuid primary key,
  account_id uuid not null references identity_account (id),
  -- in test credit
  test boolean not null,
  status text not null default 'OPEN',
  -- number of the last journal of this lease
  epoch integer not null,
  -- real time; renewed by the instance
  expires_at timestamptz not null,
  updated_at timestamptz not null,
  constraint gateway_lease_status_known check (status in ('OPEN', 'CLOSED')),
  constraint gateway_lease_epoch_positive check (epoch > 0)
);
create index gateway_lease_account_open on gateway_lease (account_id) where status = 'OPEN';
create index gateway_lease_expires_open on gateway_lease (expires_at) where status = 'OPEN';

create table gateway_lease_history (
  id uuid primary key,
  subject_id uuid not null references gateway_lease (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index gateway_lease_history_subject_id on gateway_lease_history (subject_id);

-- What a routing key, or one end user of it, has spent in a period.
create table gateway_budget (
  -- key, period, its number, and a hash of the end user
  id text collate "C" primary key,
  account_id uuid not null references identity_account (id),
  key_id uuid not null,
  -- business time
  ends_at timestamptz not null,
  -- micro-USD that usage rows have charged
  spent bigint not null default 0,
  -- micro-USD that leases may spend: the sum of gateway_budget_block
  allotted bigint not null default 0,
  constraint gateway_budget_money check (spent >= 0 and allotted >= 0)
);
create index gateway_budget_ends_at on gateway_budget (ends_at);
create index gateway_budget_account on gateway_budget (account_id);

-- The part of a budget that the instance with a lease may spend; ends with the lease.
create table gateway_budget_block (
  lease_id uuid not null references gateway_lease (id),
  budget_id text collate "C" not null references gateway_budget (id),
  amount bigint not null,
  primary key (lease_id, budget_id),
  constraint gateway_budget_block_not_negative check (amount >= 0)
);
create index gateway_budget_block_budget on gateway_budget_block (budget_id);

-- Cost and fee are what the account was charged.
alter table gateway_usage
  -- the lease that paid, and the number of its journal
  add column lease_id uuid references gateway_lease (id),
  add column epoch integer,
  -- cost in micro-USD that the account was not charged: above its reservation, or after its lease was closed
  add column borne bigint not null default 0,
  add constraint gateway_usage_borne_not_negative check (borne >= 0),
  add constraint gateway_usage_posted check ((lease_id is null) = (epoch is null));
create index gateway_usage_lease on gateway_usage (lease_id, epoch) where lease_id is not null;
