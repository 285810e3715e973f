-- What somebody wrote with a posting. It may name a person: a row may be deleted with an account, never changed.
-- The journal holds only a hash with a random salt that goes with the row, so nothing can be guessed back from it.
create table ledger_memo (
  journal_id uuid primary key references ledger_journal (id),
  -- the account that wrote it; null for the service
  author_id text,
  memo text not null,
  salt text not null
);
create index ledger_memo_author on ledger_memo (author_id);
create trigger ledger_memo_append_only before update or truncate on ledger_memo
  for each statement execute function platform_append_only();

alter table ledger_journal add column memo_hash text;
comment on column ledger_journal.memo is 'of journals older than ledger_memo; null in all others';
comment on column ledger_journal.memo_hash is 'salted hash of the row in ledger_memo, null where there was none';
