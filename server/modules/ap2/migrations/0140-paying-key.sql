-- The service account whose key paid: its spending limit counts what its keys paid (deal/spending.ts).
alter table ap2_escrow add column service_account_id uuid references identity_service_account (id);
create index ap2_escrow_service_account on ap2_escrow (service_account_id) where service_account_id is not null;
