-- Certificates count for the score: agents that have one are evaluated after the start.
insert into trust_standing as s (id, evaluate_at, reason)
select distinct agent_id, now(), 'CERTIFICATION' from certification_participant where certificate_id is not null
on conflict (id) do update set evaluate_at = excluded.evaluate_at, reason = excluded.reason, deal_id = null;
