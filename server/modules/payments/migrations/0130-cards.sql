-- Cards that accounts have paid with: what the processor calls the card itself, under a key of this installation. Shows that
-- two accounts use one card, and nothing else. Deleted with the account.
create table payments_card (
  account_id uuid not null,
  fingerprint text not null,
  first_used_at timestamptz not null,
  primary key (account_id, fingerprint)
);
