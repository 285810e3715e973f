-- A wallet of an organization is nobody's own: who may use it follows from the members alone.
alter table wallets_wallet add constraint wallets_wallet_organization_owns_itself
  check (owner_type <> 'ORGANIZATION' or account_id = owner_id);
comment on column wallets_wallet.account_id is
  'who may use it: the owner itself, or the account that controls the agent; of an organization its own id, no account';
