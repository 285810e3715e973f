-- Whether a bank took back what the deal had paid to the seller: such a rating does not count, as the deal does not count for
-- trust.
-- locks: changes only ratings of deals that were charged back and the agents that they rated, of which there are few
alter table ratings_rating add column charged_back boolean not null default false;

update ratings_rating r set charged_back = true from trust_outcome o
where o.agent_id = r.agent_id and o.deal_id = r.negotiation_id and o.charged_back;

-- Ratings of deals in test credit count in sandbox mode only: there the mean that is stored includes them.
with changed as (
  select a.id, a.rating is not distinct from round(avg(r.rating), 2) as with_test,
    round(avg(r.rating) filter (where not r.charged_back), 2) as mean,
    round(avg(r.rating) filter (where not r.charged_back and not r.test), 2) as mean_without_test
  from agents_agent a join ratings_rating r
    on r.agent_id = a.id and r.author_id not in (a.owner_id, a.creator_id) and not r.author_suspended
  where a.id in (select agent_id from ratings_rating where charged_back)
  group by a.id
)
update agents_agent a set rating = case when changed.with_test then changed.mean else changed.mean_without_test end
from changed where changed.id = a.id;
