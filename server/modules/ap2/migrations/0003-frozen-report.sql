-- A frozen escrow is ended by a person only: one that stands for a week is reported, and once a day from then on.

create table ap2_frozen_report (
  escrow_id uuid primary key references ap2_escrow (id),
  reported_at timestamptz not null
);
create index ap2_escrow_frozen_at on ap2_escrow (frozen_at) where status = 'FROZEN';

create view ap2_frozen_due as
  select e.id, greatest(e.frozen_at + interval '7 days', r.reported_at + interval '1 day') as due_at
  from ap2_escrow e left join ap2_frozen_report r on r.escrow_id = e.id and r.reported_at > e.frozen_at
  where e.status = 'FROZEN';
