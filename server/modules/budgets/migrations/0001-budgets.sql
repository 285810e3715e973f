-- What the members of an organization may spend of its money. Amounts are micro-units; a USDC counts as a dollar. A limit of
-- null allows all.
create table budgets_policy (
  organization_id uuid primary key references identity_organization (id),
  per_transaction_limit bigint,
  monthly_limit bigint,
  -- Null until it is set; every payment creates and locks the row.
  updated_at timestamptz,
  constraint budgets_policy_limits check (per_transaction_limit >= 0 and monthly_limit >= 0)
);

-- The budget of a member, which ends with the membership.
create table budgets_member (
  organization_id uuid not null,
  account_id uuid not null,
  monthly_limit bigint not null,
  primary key (organization_id, account_id),
  foreign key (organization_id, account_id) references identity_member (organization_id, account_id) on delete cascade,
  constraint budgets_member_limit check (monthly_limit >= 0)
);

-- What a member paid; what came back counts for the month in which it was paid.
create table budgets_spend (
  -- Of the escrow, the voucher, the invoice or the transfer.
  reference uuid primary key,
  organization_id uuid not null references identity_organization (id),
  account_id uuid not null references identity_account (id),
  amount bigint not null,
  returned bigint not null default 0,
  spent_at timestamptz not null,
  constraint budgets_spend_amount check (amount > 0),
  constraint budgets_spend_returned check (returned between 0 and amount)
);
create index budgets_spend_organization on budgets_spend (organization_id, spent_at);
