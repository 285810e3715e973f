-- How often an event was received: the reconciliation names those that came more than once.
alter table payments_event add column deliveries integer not null default 1;
create index payments_event_object on payments_event ((body #>> '{data,object,id}'));
