-- Work that repeats and that one instance at a time does for all, with what it found last.
create table platform_task (
  name text primary key,
  due_at timestamptz not null,
  -- until then no other instance takes it up; extended while it runs
  leased_until timestamptz,
  finished_at timestamptz,
  result jsonb
);
