-- outside a transaction
-- The mean of an agent is read from the index alone, which leaves out ratings of deals that were charged back.
drop index concurrently if exists ratings_rating_paid;
create index concurrently ratings_rating_paid on ratings_rating (agent_id, id desc) include (rating, test, author_id)
  where not author_suspended and not charged_back;
drop index concurrently if exists ratings_rating_of_active;
