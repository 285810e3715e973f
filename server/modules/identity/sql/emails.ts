import { sql } from '#platform/sql'
import { ACCOUNT } from './accounts.ts'
import type { Account } from '../account.ts'

export const emailState = (accountId: string) => sql<{ verified: boolean }>`
  select email_verified_at is not null as verified from identity_account where id = ${accountId}`

/** The address is confirmed, and the account's from now on. */
export const confirmEmail = (accountId: string, email: string, times: { real: Date; now: Date }) => sql<Account>`
  update identity_account set email = ${email}, email_verified_at = ${times.real}, updated_at = ${times.now}
  where id = ${accountId} and status <> 'DELETED' returning ${ACCOUNT}`
