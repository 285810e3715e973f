-- Which account was shown the secret: when the creator loses its access to a claimed agent, its secret must not stay valid.
-- Another takes its place then, which nobody was shown until the owner asks for one.
alter table agents_webhook_secret
  add column made_by uuid,
  add column is_shown boolean not null default true;
