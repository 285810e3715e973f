import type { Queryable } from '#platform/db'
import type { Services } from '#platform/services'
import { hashOfBackupCode } from './backup-code.ts'
import * as statements from './sql/mfa.ts'
import { stepOf } from './totp.ts'

/** What the sealed secret of an account opens with. */
export const contextOf = (accountId: string): string => `mfa/${accountId}`

export const isMfaEnabled = async (q: Queryable, accountId: string): Promise<boolean> =>
  (await q.maybe(statements.mfaOf(accountId)))?.enabled ?? false

/** Whether a code is right now; it is used up for this purpose, whoever else tries it at the same moment. */
export async function proveTotp(
  services: Services,
  accountId: string,
  { code, purpose }: { code: string; purpose: statements.StepPurpose },
): Promise<boolean> {
  const { db, secrets, clock } = services
  const row = await db.maybe(statements.mfaOf(accountId))
  if (!row?.enabled) return false
  const step = stepOf(secrets.open(row.secret, contextOf(accountId)), code, clock.real())
  return step !== null && (await db.run(statements.takeStep(accountId, purpose, step))) === 1
}

/** Whether a backup code is one of the account's and was not used before; it is used up. */
export async function proveBackupCode({ db, clock }: Services, accountId: string, code: string): Promise<boolean> {
  const row = await db.maybe(statements.mfaOf(accountId))
  const hash = row?.enabled ? await hashOfBackupCode(code, row.backupSalt) : null
  return hash !== null && (await db.run(statements.takeBackupCode(accountId, hash, clock.real()))) === 1
}
