-- The most that the keys of a service account may pay into escrow, in micro-units; a USDC counts as a dollar. Null for no
-- limit. Agent keys (sa_) cannot pay.
alter table identity_service_account add column spending_limit bigint,
  add constraint identity_service_account_spending_limit check (spending_limit >= 0 and (kind = 'sk' or spending_limit is null));
