-- To find what the processor reported of a transfer.
create index payments_event_transfer on payments_event ((body #>> '{data,object,id}')) where type like 'transfer.%';
