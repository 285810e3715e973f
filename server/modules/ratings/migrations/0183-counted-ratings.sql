-- outside a transaction
-- The mean of an agent is read from the index alone, which leaves out ratings by suspended accounts.
drop index concurrently if exists ratings_rating_of_active;
create index concurrently ratings_rating_of_active on ratings_rating (agent_id, id desc) include (rating, test, author_id)
  where not author_suspended;
drop index concurrently if exists ratings_rating_counted;
