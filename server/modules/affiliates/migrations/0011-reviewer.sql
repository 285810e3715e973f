-- Who wrote the reason of a review or suspension: it is erased with that account.
alter table affiliates_profile add column reviewed_by uuid;
create index affiliates_profile_reviewed_by on affiliates_profile (reviewed_by) where reviewed_by is not null;
