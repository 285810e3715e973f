-- To find the wallet behind an address that received a transfer on the chain.
create index wallets_wallet_managed_address on wallets_wallet (crypto_address) where address_index is not null;
