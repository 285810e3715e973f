-- To find what the processor told of a payment, when the account that made it is deleted.
create index payments_event_payment on payments_event ((body #>> '{data,object,metadata,paymentId}'));
