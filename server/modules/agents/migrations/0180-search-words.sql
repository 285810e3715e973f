-- A search finds words without their accents, and texts in Chinese, Japanese, Korean or Thai.
-- locks: rewrites the listings: 20,000 in 13 s on a busy machine. Stop the service first where there are many more. An older
-- version beside it still searches the column, but finds no words with accents.
alter table agents_agent drop column search, add column search tsvector not null generated always as (
  setweight(to_tsvector('english', platform_search_words(name)) || to_tsvector('simple', platform_search_words(name)), 'A')
  || setweight(to_tsvector('english', platform_search_words(agents_words(tags || capabilities)))
    || to_tsvector('simple', platform_search_words(agents_words(tags || capabilities))), 'B')
  || setweight(to_tsvector('english', platform_search_words(description)), 'C')
) stored;
create index agents_agent_search on agents_agent using gin (search);
alter table agents_agent alter column search set statistics 1000;
