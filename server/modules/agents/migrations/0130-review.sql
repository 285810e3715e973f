-- What waits for the review of an admin.
create index agents_agent_in_review on agents_agent (created_at desc, id desc) where status = 'PENDING_REVIEW';
