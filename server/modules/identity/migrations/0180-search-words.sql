-- outside a transaction
-- Names are found without accents, and in Chinese, Japanese, Korean or Thai by a part. An older version uses the index
-- identity_account_name_words.
drop index concurrently if exists identity_account_name_search;
create index concurrently identity_account_name_search on identity_account
  using gin (to_tsvector('simple', platform_search_words(display_name)));
