-- How far the ledger check has proved the books, so that a run does not read all history: every rule held for all journals
-- in blocks up to this one.
create table ledger_proof (
  only_row boolean primary key default true,
  block bigint not null default 0,
  -- in those blocks
  journals bigint not null default 0,
  entries bigint not null default 0,
  proved_at timestamptz,
  constraint ledger_proof_one_row check (only_row)
);
insert into ledger_proof default values;

-- What their entries sum to, for each unguarded account.
create table ledger_proof_sum (
  account text collate "C" not null,
  asset text collate "C" not null,
  total numeric not null,
  primary key (account, asset)
);

-- A sum over all journals can leave bigint, and sealing must never stop for that.
alter table ledger_rollup alter column balance type numeric;
