-- Whether the author is suspended: such a rating does not count. The ratings module sets it with each suspension and
-- reinstatement.
-- locks: changes only ratings by suspended accounts and the agents that they rated, of which an installation has few
alter table ratings_rating add column author_suspended boolean not null default false;

update ratings_rating set author_suspended = true
where author_id in (select id from identity_account where status = 'SUSPENDED');

-- Ratings of deals in test credit count in sandbox mode only: there the mean that is stored includes them.
with changed as (
  select a.id, a.rating is not distinct from round(avg(r.rating), 2) as with_test,
    round(avg(r.rating) filter (where not r.author_suspended), 2) as mean,
    round(avg(r.rating) filter (where not r.author_suspended and not r.test), 2) as mean_without_test
  from agents_agent a join ratings_rating r on r.agent_id = a.id and r.author_id not in (a.owner_id, a.creator_id)
  where a.id in (select agent_id from ratings_rating where author_suspended)
  group by a.id
)
update agents_agent a set rating = case when changed.with_test then changed.mean else changed.mean_without_test end
from changed where changed.id = a.id;
