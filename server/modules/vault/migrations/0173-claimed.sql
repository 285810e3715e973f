-- locks: only rows of agents that another account has claimed, which are few and seldom written.
-- The files of agents that were claimed before files went to the new owner.
update vault_artifact a set account_id = o.owner_id from agents_agent o
  where o.id = a.agent_id and o.owner_id <> o.creator_id and a.account_id = o.creator_id;
