-- Where the money of one person, agent or organization is paid out to: a bank account behind a connected account of the
-- processor, and an address on the chain.

create table payouts_account (
  id uuid primary key,
  status text not null,
  owner_type text not null,
  owner_id uuid not null,
  -- the account whose destination it is; an organization's own id
  account_id uuid not null,
  -- our id for the connected account, and its idempotency key: a new one for each connection
  connection_id uuid not null,
  processor_account_id text,
  email text,
  country text,
  -- what the processor still asks for, and why it restricts the account
  requirements text[] not null default '{}',
  disabled_reason text,
  -- on the chain, in checksum form
  address text,
  -- when the processor is asked about the account again
  ask_at timestamptz,
  asks integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payouts_account_status check (status in ('NOT_CONNECTED', 'PENDING', 'RESTRICTED', 'ACTIVE', 'REJECTED')),
  constraint payouts_account_owner_type check (owner_type in ('USER', 'AGENT', 'ORGANIZATION')),
  constraint payouts_account_connected check ((status = 'NOT_CONNECTED') = (processor_account_id is null)),
  constraint payouts_account_one unique (owner_type, owner_id),
  constraint payouts_account_processor_account_id unique (processor_account_id)
);
create index payouts_account_account_id on payouts_account (account_id);
create index payouts_account_ask_at on payouts_account (ask_at) where ask_at is not null;

create table payouts_account_history (
  id uuid primary key,
  subject_id uuid not null references payouts_account (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index payouts_account_history_subject_id on payouts_account_history (subject_id);

-- Money on its way out. It is in account 2060 until the rail reports that it has arrived or failed.
create table payouts_payout (
  id uuid primary key,
  status text not null,
  owner_type text not null,
  owner_id uuid not null,
  -- the account that controlled the wallet at the request; an organization's own id
  account_id uuid not null,
  wallet_id uuid not null references wallets_wallet (id),
  rail text not null,
  amount bigint not null,
  currency text not null,
  -- id of the connected account, or an address on the chain
  destination text not null,
  -- the approval that a payout in REVIEW waits for
  approval_id uuid,
  -- ids at the rail: the transfer and the payout at the processor, or the transaction on the chain
  transfer_id text,
  bank_payout_id text,
  failure_code text,
  failure_message text,
  -- REQUESTED: when it is sent; later: when the rail is asked about it
  due_at timestamptz,
  asks integer not null default 0,
  sent_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payouts_payout_status check (
    status in ('REVIEW', 'REQUESTED', 'PENDING', 'IN_TRANSIT', 'PAID', 'RETURNED', 'FAILED', 'CANCELED')),
  constraint payouts_payout_rail check (rail in ('processor', 'chain')),
  constraint payouts_payout_amount check (amount > 0 and (rail <> 'processor' or amount % 10000 = 0)),
  constraint payouts_payout_sent check (status not in ('PENDING', 'IN_TRANSIT', 'PAID', 'RETURNED', 'FAILED') or sent_at is not null),
  -- Every state that waits for the rail has a moment at which the service asks it.
  constraint payouts_payout_waits check (status not in ('REQUESTED', 'PENDING', 'IN_TRANSIT') or due_at is not null),
  constraint payouts_payout_completed check (
    (completed_at is not null) = (status in ('PAID', 'RETURNED', 'FAILED', 'CANCELED')))
);
create index payouts_payout_owner on payouts_payout (owner_type, owner_id, created_at desc, id desc);
create index payouts_payout_account_id on payouts_payout (account_id, created_at desc);
create index payouts_payout_due_at on payouts_payout (due_at) where due_at is not null;
create index payouts_payout_in_progress on payouts_payout (wallet_id)
  where status in ('REVIEW', 'REQUESTED', 'PENDING', 'IN_TRANSIT');

create table payouts_payout_history (
  id uuid primary key,
  subject_id uuid not null references payouts_payout (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index payouts_payout_history_subject_id on payouts_payout_history (subject_id);
