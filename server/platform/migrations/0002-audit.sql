-- Append-only tables, and the audit log: who did what to what, sealed into a chain of blocks.

-- Refuses a statement on a table whose rows are evidence. Bound per table to what it must never do.
create function platform_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op)
    using errcode = 'check_violation', constraint = tg_table_name || '_append_only';
end $$;

create table platform_audit (
  id uuid primary key,
  -- real time: evidence does not follow the sandbox clock
  at timestamptz not null,
  action text not null,
  actor_kind text not null,
  actor_id text,
  target text,
  target_id text,
  request_id text,
  -- salted hash of the row in platform_audit_private, null where there is none
  private_hash text,
  hash text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint platform_audit_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$')
);
create index platform_audit_at on platform_audit (at desc, id desc);
create index platform_audit_actor on platform_audit (actor_id, at desc);
create index platform_audit_target on platform_audit (target_id, at desc);
create trigger platform_audit_append_only before update or delete or truncate on platform_audit
  for each statement execute function platform_append_only();

-- What may name a person (address, free text). Rows may be deleted with the person's account, never changed:
-- the chain holds only a hash with a random salt that goes with the row, so nothing can be guessed back
-- from it, and a row that is still there is still proved.
create table platform_audit_private (
  audit_id uuid primary key references platform_audit (id),
  ip text,
  details jsonb not null,
  salt text not null
);
create trigger platform_audit_private_append_only before update or truncate on platform_audit_private
  for each statement execute function platform_append_only();

-- Events that stand in no block yet, with the transaction that wrote them.
create table platform_audit_unsealed (
  item_id uuid primary key,
  xid xid8 not null default pg_current_xact_id()
);

create table platform_audit_block (
  number bigint primary key,
  items uuid[] not null,
  previous_hash text not null,
  hash text not null,
  -- no event of a transaction below this one was left out
  sealed_below xid8 not null,
  sealed_at timestamptz not null,
  constraint platform_audit_block_not_empty check (cardinality(items) > 0)
);
create trigger platform_audit_block_append_only before update or delete or truncate on platform_audit_block
  for each statement execute function platform_append_only();
