-- Rounds and lines of histories are read by their deal, in the order of their ids: one index for that, and none for the id
-- by itself, which nothing looks for.
drop index ap2_negotiation_history_subject, ap2_escrow_history_subject, ap2_delivery_history_subject, ap2_round_negotiation;
alter table ap2_negotiation_history drop constraint ap2_negotiation_history_pkey, add primary key (subject_id, id);
alter table ap2_escrow_history drop constraint ap2_escrow_history_pkey, add primary key (subject_id, id);
alter table ap2_delivery_history drop constraint ap2_delivery_history_pkey, add primary key (subject_id, id);
alter table ap2_round drop constraint ap2_round_pkey, add primary key (negotiation_id, id);
