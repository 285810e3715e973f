-- Lists of accounts for admins: newest first, by the beginning of an address or username, by words of a name.
create index identity_account_newest on identity_account (created_at desc, id desc);
create index identity_account_email_begin on identity_account (lower(email) text_pattern_ops);
create index identity_account_username_begin on identity_account (username text_pattern_ops);
create index identity_account_name_words on identity_account using gin (to_tsvector('simple', display_name));
