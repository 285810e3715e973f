-- What the processor calls the bank accounts behind a connected account, under a key of this installation. It is read again with
-- the state of the account, and erased when the account is disconnected.
alter table payouts_account add column bank_fingerprints text[] not null default '{}';
