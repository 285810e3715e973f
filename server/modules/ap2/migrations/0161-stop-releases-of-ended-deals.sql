-- The timer read the milestones of ended escrows at each tick.
-- locks: only rows of ended escrows, which nothing changes any more; an index finds them.
update ap2_milestone m set auto_release_at = null
from ap2_escrow e where e.id = m.escrow_id and e.ended_at is not null and m.auto_release_at is not null;
alter table ap2_milestone validate constraint ap2_milestone_auto_release;
