-- Which mails about deals a person wants. Without a row, all.
create table notifications_preference (
  account_id uuid primary key references identity_account (id),
  offers boolean not null default true,
  progress boolean not null default true,
  deadlines boolean not null default true,
  updated_at timestamptz not null
);

-- A deal whose delivery is due, with the moment of the reminder.
create table notifications_deadline (
  -- of the negotiation
  id uuid primary key,
  due_at timestamptz not null
);
create index notifications_deadline_due on notifications_deadline (due_at);
