-- The secret that signs what the service sends to an agent. Sealed: the database holds no secret in the clear.
create table agents_webhook_secret (
  agent_id uuid primary key references agents_agent (id),
  sealed text not null,
  -- Signs too until then, so that a receiver can change its secret.
  previous_sealed text,
  previous_until timestamptz,
  created_at timestamptz not null,
  constraint agents_webhook_secret_previous check ((previous_sealed is null) = (previous_until is null))
);
