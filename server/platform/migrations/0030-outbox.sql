-- Messages of lower modules to upper ones, written with the change that they are about. One consumer takes them in order.
create table platform_outbox (
  id bigint generated always as identity primary key,
  topic text not null,
  body jsonb not null
);
