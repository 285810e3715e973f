-- The ledger. Amounts are micro-units of one asset, signed as credits see them: + arrives, - leaves.

-- Accounts that may not go below zero have one row each; all others have none, so no fee row is ever hot.
create table ledger_balance (
  account text collate "C" not null,
  asset text collate "C" not null,
  balance bigint not null default 0,
  -- frozen while not empty
  freezes text[] not null default '{}',
  primary key (account, asset),
  constraint ledger_balance_not_negative check (balance >= 0)
) with (fillfactor = 70);

create function ledger_refuse_frozen() returns trigger language plpgsql as $$
begin
  raise exception 'account % is frozen: %', old.account, array_to_string(old.freezes, ', ')
    using errcode = 'check_violation', constraint = 'ledger_balance_frozen';
end $$;
create trigger ledger_balance_frozen before update on ledger_balance for each row
  when (new.balance < old.balance and cardinality(old.freezes) > 0) execute function ledger_refuse_frozen();
create trigger ledger_balance_kept before delete or truncate on ledger_balance
  for each statement execute function platform_append_only();

-- One posting. The hash covers everything but recorded_at.
create table ledger_journal (
  id uuid primary key,
  kind text not null,
  key text collate "C" not null,
  memo text,
  reference jsonb not null,
  -- [[debit, credit, asset, amount as text], ...] as they were posted
  legs jsonb not null,
  -- business time, which the sandbox may move: not in step with ids
  at timestamptz not null,
  hash text not null,
  -- real time
  recorded_at timestamptz not null default clock_timestamp(),
  constraint ledger_journal_key unique (key),
  constraint ledger_journal_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$')
);

-- What a journal did to one account: at most one credit and one debit for each asset, the credit first.
create table ledger_entry (
  account text collate "C" not null,
  -- order of posting; for one guarded account exact, because it is drawn under the lock of its balance row
  seq bigint generated always as identity,
  asset text collate "C" not null,
  amount bigint not null,
  -- of a guarded account; null for all others
  balance_after bigint,
  journal_id uuid not null,
  primary key (account, seq),
  constraint ledger_entry_journal foreign key (journal_id) references ledger_journal (id),
  constraint ledger_entry_not_zero check (amount <> 0),
  constraint ledger_entry_balance_not_negative check (balance_after >= 0)
);
create index ledger_entry_journal_id on ledger_entry (journal_id);

create trigger ledger_journal_append_only before update or delete or truncate on ledger_journal
  for each statement execute function platform_append_only();
create trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
  for each statement execute function platform_append_only();

-- Journals that stand in no block yet, with the transaction that wrote them. A queue and not a mark of how far
-- sealing has come: in a database restored elsewhere transaction ids start again, and a mark would pass over
-- everything posted after it.
create table ledger_unsealed (
  item_id uuid primary key,
  xid xid8 not null default pg_current_xact_id()
);

create table ledger_block (
  number bigint primary key,
  items uuid[] not null,
  previous_hash text not null,
  hash text not null,
  -- no journal of a transaction below this one was left out
  sealed_below xid8 not null,
  sealed_at timestamptz not null,
  constraint ledger_block_not_empty check (cardinality(items) > 0)
);
create trigger ledger_block_append_only before update or delete or truncate on ledger_block
  for each statement execute function platform_append_only();

-- Balances of unguarded accounts over all sealed journals; the unsealed tail comes on top.
create table ledger_rollup (
  account text collate "C" not null,
  asset text collate "C" not null,
  balance bigint not null,
  primary key (account, asset)
);
