-- To find what an operator said, when the operator's account is deleted.
create index agents_agent_history_operator on agents_agent_history (actor_id) where actor = 'operator';
