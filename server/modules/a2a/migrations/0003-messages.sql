-- Messages to a task that were acted on, so that one that is sent again does nothing again.
-- What began a task is in a2a_task.

create table a2a_message (
  account_id uuid not null references identity_account (id),
  -- as the client named it; the row is deleted with the account
  message_id text not null,
  negotiation_id uuid not null references a2a_task (negotiation_id),
  created_at timestamptz not null,
  primary key (account_id, message_id)
);
