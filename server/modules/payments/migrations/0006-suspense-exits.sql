-- How money left suspense: booked to its payment after all, assigned to a wallet, or returned to the payer at the processor.

alter table payments_suspense add column resolution text, add column journal_id uuid;
update payments_suspense set resolution = 'BOOKED' where settled_at is not null;
alter table payments_suspense
  add constraint payments_suspense_resolution check (resolution in ('BOOKED', 'ASSIGNED', 'RETURNED')),
  add constraint payments_suspense_resolved check ((settled_at is null) = (resolution is null));
create index payments_suspense_created_at on payments_suspense (created_at desc, processor_id);
