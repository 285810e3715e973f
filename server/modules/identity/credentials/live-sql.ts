import { sql } from '#platform/kernel/sql'
import { KEY_END, KEY_OF_SESSION } from './session-sql.ts'

/** Which of some keys and sessions can still be used. `now` is business time, as for a request. */
export const usableCredentials = (
  { keys, sessions }: { keys: readonly string[]; sessions: readonly string[] },
  now: Date,
) => sql<{ id: string }>`
  select k.id from identity_key k join identity_account a on a.id = k.account_id
    left join identity_service_account s on s.id = k.service_account_id
  where k.id = any(${keys}::uuid[]) and k.status <> 'REVOKED' and a.status = 'ACTIVE'
    and (k.grace_until is null or k.grace_until > ${now}) and (s.expires_at is null or s.expires_at > ${now})
    and not coalesce(s.suspended, false)
  union all
  select s.id from identity_session s join identity_account a on a.id = s.account_id
    ${KEY_OF_SESSION}
  where s.id = any(${sessions}::uuid[]) and s.ended_at is null and a.status = 'ACTIVE' and coalesce(${KEY_END} > ${now}, true)`
