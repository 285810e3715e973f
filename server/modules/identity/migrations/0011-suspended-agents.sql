-- An agent that an admin suspended: its keys are refused everywhere while it is.
alter table identity_service_account add column suspended boolean not null default false;
