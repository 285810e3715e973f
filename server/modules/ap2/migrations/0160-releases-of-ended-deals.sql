-- A verified milestone has a time of release while its escrow is live, and none once that has ended.
alter table ap2_milestone
  drop constraint ap2_milestone_auto_release,
  add constraint ap2_milestone_auto_release check
    (auto_release_at is null or (delivery_status = 'VERIFIED' and released < amount)) not valid;
