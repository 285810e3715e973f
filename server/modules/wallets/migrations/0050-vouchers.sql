-- A voucher moves real money from a wallet to whoever knows its code. The money is in ledger account 2030 while it is ACTIVE.
create table wallets_voucher (
  id uuid primary key,
  status text not null,
  -- the wallet that paid, and that gets the money back
  wallet_id uuid not null references wallets_wallet (id),
  -- the account that created it
  account_id uuid not null,
  amount bigint not null,
  currency text not null,
  -- HMAC of the code, with a key that the database does not hold
  code_hash bytea not null,
  code_prefix text not null,
  note text,
  expires_at timestamptz not null,
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallets_voucher_status check (status in ('ACTIVE', 'REDEEMED', 'CANCELLED', 'EXPIRED')),
  constraint wallets_voucher_amount check (amount > 0),
  constraint wallets_voucher_currency check (currency in ('USD', 'USDC')),
  constraint wallets_voucher_ended check ((status = 'ACTIVE') = (ended_at is null)),
  constraint wallets_voucher_code unique (code_hash)
);
create index wallets_voucher_wallet on wallets_voucher (wallet_id, created_at desc, id desc);
create index wallets_voucher_account_id on wallets_voucher (account_id) where note is not null;
create index wallets_voucher_expires_at on wallets_voucher (expires_at) where status = 'ACTIVE';

create table wallets_voucher_history (
  id uuid primary key,
  subject_id uuid not null references wallets_voucher (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index wallets_voucher_history_subject_id on wallets_voucher_history (subject_id);
