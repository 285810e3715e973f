-- Comparisons of the books with the lists of processors and chains.

create table reconciliation_run (
  id uuid primary key,
  -- business time
  from_at timestamptz not null,
  to_at timestamptz not null,
  trigger text not null,
  -- how many movements and records were compared, by rail
  compared jsonb not null,
  -- differences that need an operator
  open integer not null,
  finished_at timestamptz not null,
  constraint reconciliation_run_period check (from_at < to_at),
  constraint reconciliation_run_trigger check (trigger in ('DAILY', 'ADMIN', 'COMMAND'))
);
create index reconciliation_run_finished_at on reconciliation_run (finished_at desc, id desc);

create table reconciliation_difference (
  id uuid primary key,
  run_id uuid not null references reconciliation_run (id) on delete cascade,
  rail text not null,
  kind text not null,
  subject text not null,
  external_id text,
  our_id text,
  expected text,
  actual text,
  -- what was done about it, or what to do
  note text not null,
  is_open boolean not null,
  constraint reconciliation_difference_named check (external_id is not null or our_id is not null)
);
create index reconciliation_difference_run on reconciliation_difference (run_id, id);
