import { sql, type Statement } from '#platform/kernel/sql'
import { ACCOUNT } from './sql.ts'
import type { Account } from './account.ts'

/**
 * `verified`: the address is confirmed. `isOwned`: the holder of the address was shown to hold the account. `isHeld`: somebody can get into the account by
 * other means than its mail.
 */
export const emailState = (accountId: string) => sql<{
  verified: boolean
  isOwned: boolean
  isHeld: boolean
}>`
  select email_verified_at is not null as verified, email_owned_at is not null as is_owned,
    password_hash is not null
      or exists (select from identity_external x where x.account_id = a.id)
      or exists (select from identity_session s where s.account_id = a.id and s.ended_at is null)
      or exists (select from identity_key k where k.account_id = a.id and k.kind = 'sk' and k.status <> 'REVOKED')
      as is_held
  from identity_account a where id = ${accountId}`

/** The address is confirmed, and the account's from now on; `isOwner`: its holder was shown to hold the account too. */
export const confirmEmail = (
  accountId: string,
  { email, isOwner, real, now }: { email: string; isOwner: boolean; real: Date; now: Date },
) => sql<Account>`
  update identity_account set email = ${email}, email_verified_at = ${real}, updated_at = ${now},
    email_owned_at = case
      when ${isOwner} then ${real}::timestamptz
      when lower(email) = lower(${email}) then email_owned_at end
  where id = ${accountId} and status <> 'DELETED' returning ${ACCOUNT}`

export const agentsWithKeys = (accountId: string) => sql<{ agentId: string }>`
  select distinct agent_id from identity_key
  where account_id = ${accountId} and agent_id is not null and status <> 'REVOKED' order by 1`

/** The ways into an account that are neither sessions, keys nor a second factor. */
export const deleteSignInMethods = (accountId: string, now: Date): Statement<unknown>[] => [
  sql`update identity_account set password_hash = null, updated_at = ${now} where id = ${accountId}`,
  sql`delete from identity_external where account_id = ${accountId}`,
  sql`update identity_service_account set status = 'REVOKED', revoked_at = ${now}, updated_at = ${now}
    where account_id = ${accountId} and status = 'ACTIVE'`,
]
