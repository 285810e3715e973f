-- A request that a crash or a silent partner cut off goes on with the same id when it is sent again.

alter table platform_idempotency
  -- what the act makes, such as a payment: the same one for every request with this key
  add column subject_id uuid,
  -- until then nobody else takes the request up; null: nobody runs it
  add column running_until timestamptz;
update platform_idempotency set running_until = created_at + interval '1 hour' where status is null;

-- Outages of the sandbox processor that an admin asked for; the oldest comes first.
create table platform_processor_fault (
  id uuid primary key,
  kind text not null,
  remaining integer not null,
  delay_ms integer not null,
  silent boolean not null,
  constraint platform_processor_fault_kind check (kind in ('not_reached', 'answer_lost')),
  constraint platform_processor_fault_remaining check (remaining >= 0)
);
