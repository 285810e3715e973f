-- Mail that sandbox mode shows in place of sending it. Address and text are sealed: they name a person and hold links.
create table platform_mail (
  id uuid primary key,
  -- keyed hash of the address in lower case, to find it by
  recipient bytea not null,
  sealed text not null,
  sent_at timestamptz not null
);
create index platform_mail_recipient on platform_mail (recipient, id desc);
