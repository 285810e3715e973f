-- Since when the creator of a claimed agent has no access to it any more; null while it may operate the agent.
alter table agents_agent add column creator_detached_at timestamptz,
  add constraint agents_agent_detached check (creator_detached_at is null or creator_id <> owner_id);
