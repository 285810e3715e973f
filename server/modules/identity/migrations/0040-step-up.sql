-- Which credentials prove the owner of an account again. Real time throughout.
alter table identity_session add column is_proof boolean not null default true;
comment on column identity_session.is_proof is 'the sign-in itself counts as step-up while it is fresh';

-- A key proves its owner only to sessions that began later: a stolen session must not make its own proof.
alter table identity_key add column proves_since timestamptz;
update identity_key k set proves_since = case when k.created_at = a.created_at then '-infinity' else k.created_at end
from identity_account a where a.id = k.account_id;
alter table identity_key alter column proves_since set not null;
