-- What an account allowed a client of OAuth. Clients are not stored: a client id is signed and holds what the client
-- registered.
create table oauth_grant (
  id uuid primary key,
  account_id uuid not null references identity_account (id),
  -- SHA-256 of the client id.
  client_hash bytea not null,
  client_name text not null,
  redirect_uri text not null,
  -- S256 of the verifier that only the client knows.
  code_challenge text not null,
  scopes text[] not null,
  spending_limit bigint not null,
  code_hash bytea not null unique,
  -- In real time.
  code_expires_at timestamptz not null,
  -- Whose keys are the access tokens; null until the code is exchanged.
  service_account_id uuid references identity_service_account (id),
  refresh_hash bytea unique,
  -- The refresh token before this one. Its use shows that it was copied, or that the client lost a response.
  previous_hash bytea unique,
  -- In real time.
  refreshed_at timestamptz,
  created_at timestamptz not null,
  constraint oauth_grant_spending_limit check (spending_limit >= 0),
  constraint oauth_grant_exchanged check ((service_account_id is null) = (refresh_hash is null)
    and (service_account_id is null) = (refreshed_at is null))
);
create index oauth_grant_account on oauth_grant (account_id);
create index oauth_grant_service_account on oauth_grant (service_account_id);
