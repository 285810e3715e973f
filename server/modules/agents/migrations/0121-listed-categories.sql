-- The categories of the listed agents with their prices, to find and count them without reading each agent. Triggers
-- update it.

create table agents_listed_category (
  -- in lower case
  category text not null,
  price bigint not null,
  created_at timestamptz not null,
  agent_id uuid not null,
  primary key (category, price, agent_id)
);
-- The newest of a category, with a price or without.
create index agents_listed_category_newest on agents_listed_category (category, created_at desc, agent_id desc, price);

create function agents_list_categories() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from agents_listed_category
    where category = any(agents_folded(old.categories)) and price = old.price and agent_id = old.id;
  end if;
  if new.status = 'ACTIVE' and new.visibility = 'PUBLIC' then
    insert into agents_listed_category (category, price, created_at, agent_id)
    select distinct category, new.price, new.created_at, new.id from unnest(agents_folded(new.categories)) as category;
  end if;
  return null;
end $$;

create trigger agents_agent_categories_inserted after insert on agents_agent
  for each row when (new.status = 'ACTIVE' and new.visibility = 'PUBLIC') execute function agents_list_categories();
create trigger agents_agent_categories_updated after update of categories, price, status, visibility on agents_agent
  for each row when ((old.categories, old.price, old.status, old.visibility)
    is distinct from (new.categories, new.price, new.status, new.visibility)) execute function agents_list_categories();

insert into agents_listed_category (category, price, created_at, agent_id)
select distinct category, price, created_at, id from agents_agent, unnest(agents_folded(categories)) as category
where status = 'ACTIVE' and visibility = 'PUBLIC';

-- Words are as uneven as in any language: the planner needs to know the frequent ones.
alter table agents_agent alter column search set statistics 1000;
