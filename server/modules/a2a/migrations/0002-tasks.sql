-- Deals that clients of A2A opened: the id of the task is that of the negotiation.

create table a2a_task (
  account_id uuid not null references identity_account (id),
  negotiation_id uuid primary key references ap2_negotiation (id),
  agent_id uuid not null references agents_agent (id),
  -- as the client named them
  context_id text not null,
  message_id text not null,
  -- null once the account is deleted
  parts jsonb,
  created_at timestamptz not null,
  constraint a2a_task_one_per_message unique (account_id, message_id)
);
