-- To find what an operator said, when the operator's account is deleted.
create index ap2_negotiation_history_operator on ap2_negotiation_history (actor_id) where actor = 'operator';
create index ap2_escrow_history_operator on ap2_escrow_history (actor_id) where actor = 'operator';
