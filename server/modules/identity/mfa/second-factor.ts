import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { hashOfBackupCode } from './backup-code.ts'
import * as statements from './sql.ts'
import { stepOf } from './totp.ts'

/** The context to which the sealed secret of an account is bound. */
export const sealContextOf = (accountId: string): string => `mfa/${accountId}`

export const isMfaEnabled = async (q: Queryable, accountId: string): Promise<boolean> =>
  (await q.maybe(statements.mfaOf(accountId)))?.enabled ?? false

/** True if a code is valid now. It is used up for this purpose; of concurrent calls one succeeds. */
export async function proveTotp(
  services: Services,
  accountId: string,
  { code, purpose }: { code: string; purpose: statements.StepPurpose },
): Promise<boolean> {
  const { db, secrets, clock } = services
  const row = await db.maybe(statements.mfaOf(accountId))
  if (!row?.enabled) return false
  const step = stepOf(secrets.open(row.secret, sealContextOf(accountId)), code, clock.real())
  return step !== null && (await db.run(statements.takeStep(accountId, purpose, step))) === 1
}

/** True if a backup code belongs to the account and is unused; it is used up. */
export async function proveBackupCode(
  { db, clock }: Services,
  accountId: string,
  code: string,
): Promise<boolean> {
  const row = await db.maybe(statements.mfaOf(accountId))
  const hash = row?.enabled ? await hashOfBackupCode(code, row.backupSalt) : null
  return hash !== null && (await db.run(statements.takeBackupCode(accountId, hash, clock.real()))) === 1
}
