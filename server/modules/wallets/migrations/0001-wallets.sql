-- A wallet names its owner and holds no balance: that is the ledger's (2010 and 2011).

create sequence wallets_address_index as integer minvalue 0;

-- One row: the public key that managed addresses are derived from. The seed is sealed in platform_secret.
create table wallets_key_tree (
  only_row boolean primary key default true,
  public_key text not null,
  network text not null,
  constraint wallets_key_tree_one_row check (only_row)
);

create table wallets_wallet (
  id uuid primary key,
  owner_type text not null,
  owner_id uuid not null,
  -- who may use it: the owner itself, or the account that controls the agent
  account_id uuid not null,
  currency text not null,
  is_default boolean not null,
  status text not null default 'ACTIVE',
  wallet_type text not null,
  crypto_address text,
  crypto_network text,
  -- m/44'/60'/0'/0/<index>; managed wallets only
  address_index integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint wallets_wallet_owner_type check (owner_type in ('USER', 'AGENT', 'ORGANIZATION')),
  constraint wallets_wallet_user_owns_itself check (owner_type <> 'USER' or account_id = owner_id),
  constraint wallets_wallet_currency check (currency in ('USD', 'USDC')),
  constraint wallets_wallet_status check (status = 'ACTIVE'),
  constraint wallets_wallet_type check (wallet_type in ('MANAGED', 'PROVIDED')),
  constraint wallets_wallet_address_source check ((wallet_type = 'MANAGED') = (address_index is not null)),
  constraint wallets_wallet_provided_has_address check (wallet_type = 'MANAGED' or crypto_address is not null),
  constraint wallets_wallet_address check (crypto_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint wallets_wallet_address_index unique (address_index)
);
-- One default for each currency of an owner.
create unique index wallets_wallet_one_default on wallets_wallet (owner_type, owner_id, currency) where is_default;
create index wallets_wallet_owner on wallets_wallet (owner_type, owner_id);
create index wallets_wallet_account_id on wallets_wallet (account_id);
