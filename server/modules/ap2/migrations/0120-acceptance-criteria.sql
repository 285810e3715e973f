-- Criteria of acceptance: agreed while the price is, and fixed when the deal is funded. `acceptance` is
-- [{key, kind, weight, ...}]; the secret of a checker is sealed.
alter table ap2_negotiation add column acceptance jsonb;

-- [{key, kind, status, detail, checkedAt}] of each attempt, and since when its checkers are asked.
alter table ap2_delivery
  add column criteria jsonb,
  add column checking_since timestamptz,
  add constraint ap2_delivery_checking check (checking_since is null or status = 'VERIFYING'),
  -- What is released by a timer never failed a criterion that the service checks.
  add constraint ap2_delivery_verified_meets_criteria check (status <> 'VERIFIED'
    or not (criteria @? '$[*] ? (@.kind != "rubric" && (@.status == "FAILED" || @.status == "PENDING"))'));

-- The keys of the criteria that a dispute is about.
alter table ap2_dispute add column criteria jsonb;
