-- Claims a key under which nothing stands, and otherwise refuses the statements that were sent with it.
create function platform_claim_new_key(claimed_scope text, claimed_key text, real_now timestamptz) returns void
language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended(claimed_scope || ' ' || claimed_key, 0))
    or exists (select from platform_idempotency
      where scope = claimed_scope and key = claimed_key and expires_at > real_now)
  then
    raise exception 'the idempotency key is taken' using errcode = 'SVC01';
  end if;
end $$;
