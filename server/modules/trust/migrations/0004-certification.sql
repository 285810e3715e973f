-- Certificates count for the score.

alter table trust_history drop constraint trust_history_reason,
  add constraint trust_history_reason
    check (reason in ('DEAL_COMPLETED', 'DEAL_FAILED', 'CLAIMED', 'REVIEW', 'CERTIFICATION', 'AGE', 'POLICY'));
