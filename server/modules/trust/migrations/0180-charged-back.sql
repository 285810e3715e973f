-- Completed deals whose money a bank took back from the seller: they do not count any more.
alter table trust_outcome add column charged_back boolean not null default false;
alter table trust_history drop constraint trust_history_reason,
  add constraint trust_history_reason check (reason in (
    'DEAL_COMPLETED', 'DEAL_FAILED', 'CHARGEBACK', 'CLAIMED', 'REVIEW', 'CERTIFICATION', 'AGE', 'POLICY')) not valid;
