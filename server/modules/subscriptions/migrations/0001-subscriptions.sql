-- The subscription of an account to a paid plan. What was paid and is not earned yet is in ledger account 2130.
create table subscriptions_subscription (
  id uuid primary key,
  status text not null,
  account_id uuid not null references identity_account (id),
  -- pays from here, and gets back what is returned
  wallet_id uuid not null references wallets_wallet (id),
  -- renewals charge it; without one they are paid from the wallet
  payment_method_id text,
  -- micro-units of USD for each period
  price bigint not null,
  -- begin of the first period: later periods end on the same day of the month
  anchor_at timestamptz,
  period_end timestamptz,
  cancels_at_period_end boolean not null default false,
  -- failed attempts to pay the current renewal
  failures integer not null default 0,
  -- when a timer looks at it next: the end of the period, a retry, or an attempt without an outcome
  due_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint subscriptions_subscription_status check (status in ('PENDING', 'ACTIVE', 'PAST_DUE', 'CANCELLED', 'EXPIRED')),
  constraint subscriptions_subscription_price check (price > 0 and price % 10000 = 0),
  constraint subscriptions_subscription_started check (status not in ('ACTIVE', 'PAST_DUE') or (anchor_at is not null and period_end is not null)),
  constraint subscriptions_subscription_ended check ((status in ('CANCELLED', 'EXPIRED')) = (ended_at is not null)),
  -- Each state that waits has a moment at which a timer looks at it.
  constraint subscriptions_subscription_due check ((ended_at is null) = (due_at is not null))
);
create unique index subscriptions_subscription_one_live on subscriptions_subscription (account_id) where ended_at is null;
create index subscriptions_subscription_account_id on subscriptions_subscription (account_id, created_at desc);
create index subscriptions_subscription_due_at on subscriptions_subscription (due_at) where ended_at is null;

create table subscriptions_subscription_history (
  id uuid primary key,
  subject_id uuid not null references subscriptions_subscription (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index subscriptions_subscription_history_subject_id on subscriptions_subscription_history (subject_id);

-- One period and its payment.
create table subscriptions_invoice (
  id uuid primary key,
  subscription_id uuid not null references subscriptions_subscription (id),
  number integer not null,
  status text not null,
  amount bigint not null,
  rail text not null,
  -- the payment under way, or the one that paid; of a wallet the request that paid
  payment_id uuid,
  -- when the payment under way began, in real time, and who began it
  attempted_at timestamptz,
  attempted_by text,
  period_start timestamptz,
  period_end timestamptz,
  recognized bigint not null default 0,
  returned bigint not null default 0,
  -- when the next day of the period is earned
  recognize_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null,
  constraint subscriptions_invoice_status check (status in ('OPEN', 'PAID', 'VOID')),
  constraint subscriptions_invoice_rail check (rail in ('wallet', 'card', 'checkout')),
  constraint subscriptions_invoice_attempt check (attempted_by in ('owner', 'timer') and (attempted_at is null) = (attempted_by is null)),
  constraint subscriptions_invoice_paid check ((status = 'PAID') = (paid_at is not null)),
  constraint subscriptions_invoice_period check (status <> 'PAID' or (period_start < period_end)),
  constraint subscriptions_invoice_parts check (recognized >= 0 and returned >= 0 and recognized + returned <= amount),
  constraint subscriptions_invoice_number unique (subscription_id, number),
  constraint subscriptions_invoice_payment_id unique (payment_id)
);
create index subscriptions_invoice_recognize_at on subscriptions_invoice (recognize_at) where recognize_at is not null;
