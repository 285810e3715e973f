-- Deleted accounts whose data is erased once more: a request that was under way during the deletion may write later.
create table onboarding_second_erasure (
  id uuid primary key references identity_account (id),
  due_at timestamptz not null
);
create index onboarding_second_erasure_due_at on onboarding_second_erasure (due_at);
