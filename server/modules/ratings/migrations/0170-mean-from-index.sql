-- outside a transaction
-- The mean of an agent is read from the index alone: it leaves out ratings by the owner and the creator, so their author is
-- needed too. Without it each rating and each read of the reviews fetched every row of the agent.
drop index concurrently if exists ratings_rating_counted;
create index concurrently ratings_rating_counted on ratings_rating (agent_id, id desc) include (rating, test, author_id);
drop index concurrently if exists ratings_rating_agent;
