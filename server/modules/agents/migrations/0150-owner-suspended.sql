-- Whether the owner is suspended: such an agent is in no list, and no deal is made with it. The agents module sets it with
-- each suspension and reinstatement.
-- locks: changes only agents of suspended accounts, of which an installation has few
alter table agents_agent add column owner_suspended boolean not null default false;

create or replace function agents_list_categories() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from agents_listed_category
    where category = any(agents_folded(old.categories)) and price = old.price and agent_id = old.id;
  end if;
  if new.status = 'ACTIVE' and new.visibility = 'PUBLIC' and not new.owner_suspended then
    insert into agents_listed_category (category, price, created_at, agent_id)
    select distinct category, new.price, new.created_at, new.id from unnest(agents_folded(new.categories)) as category
    on conflict do nothing;
  end if;
  return null;
end $$;

create trigger agents_agent_categories_owner_suspended after update of owner_suspended on agents_agent
  for each row when (old.owner_suspended <> new.owner_suspended) execute function agents_list_categories();

update agents_agent set owner_suspended = true
where owner_id in (select id from identity_account where status = 'SUSPENDED');
