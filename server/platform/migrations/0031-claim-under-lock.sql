-- The lock first, in a statement of its own: the one that looks for the key then has a snapshot taken under the lock. In one
-- statement the snapshot was older than the lock, and a request that ended in between was not seen: it ran a second time.
create or replace function platform_claim_new_key(claimed_scope text, claimed_key text, real_now timestamptz) returns void
  language plpgsql volatile as $$
declare
  is_free boolean;
begin
  is_free := pg_try_advisory_xact_lock(hashtextextended(claimed_scope || ' ' || claimed_key, 0));
  if is_free then
    is_free := not exists (select from platform_idempotency
      where scope = claimed_scope and key = claimed_key and expires_at > real_now);
  end if;
  if not is_free then
    raise exception 'the idempotency key is taken' using errcode = 'SVC01';
  end if;
end $$;
