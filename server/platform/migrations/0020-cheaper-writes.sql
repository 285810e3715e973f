-- Ends a transaction whose statement did not write what it should: the row is gone, or the key exists.
create function platform_not_written() returns boolean language plpgsql as $$
begin
  raise exception 'a row that this transaction must write was not written' using errcode = 'no_data_found';
end $$;

-- Stored responses are read whole: as text they need no conversion. They stay in their row, which is written once, so that
-- they are neither compressed nor moved to another table.
alter table platform_idempotency alter column body type json using body::json;
alter table platform_idempotency set (toast_tuple_target = 8160);
drop function platform_claim_key(text, text, timestamptz);
create function platform_claim_key(claimed_scope text, claimed_key text, real_now timestamptz)
returns table (free boolean, request_hash text, status integer, body json, subject_id uuid, running_until timestamptz)
language plpgsql volatile as $$
begin
  free := pg_try_advisory_xact_lock(hashtextextended(claimed_scope || ' ' || claimed_key, 0));
  select i.request_hash, i.status, i.body, i.subject_id, i.running_until
    into request_hash, status, body, subject_id, running_until
    from platform_idempotency i
    where i.scope = claimed_scope and i.key = claimed_key and i.expires_at > real_now;
  return next;
end $$;
