-- A day before an answer to a dispute is due, both parties are reminded once.

alter table ap2_dispute add column reminded_at timestamptz;

create view ap2_dispute_reminder as
  select d.id, e.answer_by - interval '1 day' as due_at
  from ap2_escrow e join ap2_dispute d on d.escrow_id = e.id and d.ended_at is null
  where e.status = 'DISPUTED' and e.answer_by is not null and d.reminded_at is null;
