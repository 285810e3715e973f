-- Payments in USDC through x402, transfers that arrive on the chain, and transfers that leave. Amounts are micro-units,
-- which are the units of the token. `retry_at` is real time: the chain does not follow the sandbox clock.

create sequence x402_deposit_index as integer minvalue 0;

create table x402_payment (
  id uuid primary key,
  status text not null,
  purpose text not null,
  reference text not null,
  -- who requested it; null where an agent's paid endpoint did
  account_id uuid,
  agent_id uuid,
  -- MANAGED: address of an agent's wallet, held by the service; DEPOSIT: of this payment alone; PROVIDED: the agent's own
  holder text not null,
  wallet_id uuid,
  deposit_index integer,
  pay_to text not null,
  amount bigint not null,
  network text not null,
  description text not null,
  -- the only address that may pay, if the buyer named one
  buyer_address text,
  payment_identifier text,
  negotiation_id text,
  transfer_id uuid,
  journal_id uuid,
  failure text,
  expires_at timestamptz not null,
  -- until when transfers to the address are recorded, business time
  watch_until timestamptz not null,
  -- real time
  requested_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint x402_payment_status check
    (status in ('PENDING', 'VERIFIED', 'SETTLING', 'CONFIRMED', 'FINAL', 'FAILED', 'EXPIRED', 'LATE')),
  constraint x402_payment_holder check (holder in ('MANAGED', 'DEPOSIT', 'PROVIDED')),
  constraint x402_payment_amount check (amount > 0),
  constraint x402_payment_deposit check ((holder = 'DEPOSIT') = (deposit_index is not null)),
  constraint x402_payment_wallet check (holder = 'DEPOSIT' or wallet_id is not null),
  constraint x402_payment_paid check ((status in ('CONFIRMED', 'FINAL', 'LATE')) = (transfer_id is not null)),
  constraint x402_payment_posted check
    (case when holder <> 'PROVIDED' and status in ('FINAL', 'LATE') then journal_id is not null else journal_id is null end),
  constraint x402_payment_deposit_index unique (deposit_index)
);
create unique index x402_payment_identifier on x402_payment (account_id, payment_identifier)
  where payment_identifier is not null;
create index x402_payment_expires_at on x402_payment (expires_at) where status = 'PENDING';
create index x402_payment_pay_to on x402_payment (pay_to, created_at);
create index x402_payment_watch_until on x402_payment (watch_until);
create index x402_payment_account_id on x402_payment (account_id, created_at desc);
create index x402_payment_transfer_id on x402_payment (transfer_id);

create table x402_payment_history (
  id uuid primary key,
  subject_id uuid not null references x402_payment (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index x402_payment_history_subject_id on x402_payment_history (subject_id);

-- What a payer signed, claimed for one payment before anything is sent to the chain.
create table x402_authorization (
  id uuid primary key,
  payment_id uuid not null references x402_payment (id),
  network text not null,
  asset text not null,
  payer text not null,
  nonce text not null,
  signature text not null,
  -- Unix seconds, by the clock of the chain
  valid_before bigint not null,
  version smallint not null,
  payload jsonb not null,
  requirements jsonb not null,
  tx_hash text,
  -- cost of our own transaction in micro-dollars, once it is posted as an expense
  gas bigint,
  attempts integer not null default 0,
  retry_at timestamptz,
  -- an attempt is being made, until retry_at at the latest
  is_running boolean not null default false,
  created_at timestamptz not null,
  constraint x402_authorization_once unique (network, asset, payer, nonce),
  constraint x402_authorization_payment unique (payment_id),
  constraint x402_authorization_version check (version in (1, 2))
);
create index x402_authorization_retry_at on x402_authorization (retry_at) where retry_at is not null;
create index x402_authorization_payer on x402_authorization (payer);

-- A transfer to one of our addresses, or to a seller's address that a payment names. DROPPED: its block was replaced.
create table x402_transfer (
  id uuid primary key,
  status text not null,
  network text not null,
  token text not null,
  tx_hash text not null,
  log_index integer not null,
  block_number bigint not null,
  block_hash text not null,
  payer text not null,
  pay_to text not null,
  amount numeric(78) not null,
  payment_id uuid references x402_payment (id),
  -- why it pays nothing; null for the transfer of a payment
  reason text,
  journal_id uuid,
  resolution text,
  exit_journal_id uuid,
  -- the sending that takes it back to its payer
  return_id uuid,
  settled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint x402_transfer_status check (status in ('SEEN', 'FINAL', 'DROPPED')),
  constraint x402_transfer_reason check (reason in ('UNDERPAID', 'OVERPAID', 'PAID_TWICE', 'UNMATCHED', 'WRONG_TOKEN')),
  constraint x402_transfer_resolution check (resolution in ('ASSIGNED', 'RETURNING', 'RETURNED')),
  constraint x402_transfer_settled check ((settled_at is null) = (resolution is null)),
  constraint x402_transfer_matched check (payment_id is not null or reason is not null),
  constraint x402_transfer_log unique (network, tx_hash, log_index)
);
create index x402_transfer_seen on x402_transfer (block_number) where status = 'SEEN';
create index x402_transfer_suspense on x402_transfer (created_at desc, id) where reason is not null;

create index x402_transfer_returning on x402_transfer (settled_at) where resolution = 'RETURNING';

-- How far the chain was read.
create table x402_cursor (
  network text primary key,
  block_number bigint not null
);

-- USDC that leaves: to the address of a payout, or back to a payer.
create table x402_sending (
  id uuid primary key,
  status text not null,
  network text not null,
  to_address text not null,
  amount bigint not null,
  nonce text not null,
  valid_before bigint,
  tx_hash text,
  block_number bigint,
  -- micro-dollars
  gas bigint,
  attempts integer not null default 0,
  retry_at timestamptz,
  -- what the token answered to the last attempt
  refusal text,
  failure_code text,
  failure_message text,
  -- real time; after it nothing new is sent
  give_up_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint x402_sending_status check (status in ('PENDING', 'SENT', 'PAID', 'FAILED')),
  constraint x402_sending_amount check (amount > 0),
  constraint x402_sending_waits check ((status in ('PENDING', 'SENT')) = (retry_at is not null)),
  constraint x402_sending_failed check ((status = 'FAILED') = (failure_code is not null)),
  constraint x402_sending_nonce unique (network, nonce)
);
create index x402_sending_retry_at on x402_sending (retry_at) where retry_at is not null;

create table x402_sending_history (
  id uuid primary key,
  subject_id uuid not null references x402_sending (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index x402_sending_history_subject_id on x402_sending_history (subject_id);
