-- What buyers say of the agents that worked for them: one rating for each completed deal.

create table ratings_rating (
  id uuid primary key,
  -- References are checked, and so locked, in this order: that of ADR 2.
  -- Who wrote the comment: a rating outlives its account, the comment does not.
  author_id uuid not null references identity_account (id),
  negotiation_id uuid not null references ap2_negotiation (id),
  agent_id uuid not null references agents_agent (id),
  rating smallint not null,
  comment text,
  reply text,
  replied_by_id uuid references identity_account (id),
  replied_at timestamptz,
  -- Paid with test credit: counts in sandbox mode only
  test boolean not null,
  created_at timestamptz not null,
  constraint ratings_rating_one_per_deal unique (negotiation_id),
  constraint ratings_rating_stars check (rating between 1 and 5),
  constraint ratings_rating_replied check ((replied_at is null) = (replied_by_id is null))
);
-- The mean of an agent is read from the index alone.
create index ratings_rating_agent on ratings_rating (agent_id, id desc) include (rating, test);
create index ratings_rating_author on ratings_rating (author_id);
create index ratings_rating_replied_by on ratings_rating (replied_by_id) where replied_by_id is not null;
