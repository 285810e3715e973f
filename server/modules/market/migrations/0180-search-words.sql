-- The same as for agents (agents/0180-search-words.sql).
-- locks: rewrites the needs, of which an installation has few beside its deals.
alter table market_need drop column search, add column search tsvector not null generated always as (
  setweight(to_tsvector('english', platform_search_words(title)) || to_tsvector('simple', platform_search_words(title)), 'A')
  || setweight(to_tsvector('simple', platform_search_words(category)), 'B')
  || setweight(to_tsvector('english', platform_search_words(description)), 'C')
) stored;
create index market_need_search on market_need using gin (search);
