-- Takes the lock of an Idempotency-Key and reads what is stored under it, in one round trip. The read is a statement of its
-- own inside the function: it sees what the last holder of the lock has committed.

create function platform_claim_key(claimed_scope text, claimed_key text, real_now timestamptz)
returns table (free boolean, request_hash text, status integer, body jsonb, subject_id uuid,
  running_until timestamptz)
language plpgsql volatile as $$
begin
  free := pg_try_advisory_xact_lock(hashtextextended(claimed_scope || ' ' || claimed_key, 0));
  select i.request_hash, i.status, i.body, i.subject_id, i.running_until
    into request_hash, status, body, subject_id, running_until
    from platform_idempotency i
    where i.scope = claimed_scope and i.key = claimed_key and i.expires_at > real_now;
  return next;
end $$;
