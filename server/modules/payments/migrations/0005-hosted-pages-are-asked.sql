-- A hosted page is asked about too, like a charge, so that a payment on it is not missed with its notification. It is
-- asked about beyond its expiry, until the processor answers.

alter table payments_intent drop constraint payments_intent_asked;
update payments_intent set ask_at = now() where status = 'PENDING' and ask_at is null;
alter table payments_intent add constraint payments_intent_asked check (
  case status when 'PENDING' then ask_at is not null when 'EXPIRED' then true else ask_at is null end);
drop index payments_intent_ask_at;
create index payments_intent_ask_at on payments_intent (ask_at) where ask_at is not null;
drop index payments_intent_expires_at;
create index payments_intent_expires_at on payments_intent (expires_at) where status = 'PENDING' and rail = 'checkout';

-- Reports of the processor that moved money and could not be posted, counted for the operator.
create index payments_event_unposted on payments_event (outcome) where outcome in ('mismatch', 'dispute', 'refund');
