import { randomBytes } from 'node:crypto'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { accountById } from '../account/account.ts'
import { lockKnownAccount } from '../administration/admin.ts'
import { IDENTITY } from '../errors.ts'
import { endLinks } from '../mail/link.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { withAttemptLimit } from './attempts.ts'
import { hashOfBackupCode, newBackupCodes } from './backup-code.ts'
import { isMfaEnabled, proveBackupCode, proveTotp, sealContextOf } from './second-factor.ts'
import * as statements from './sql.ts'
import { requireStepUp } from './step-up.ts'
import { looksLikeTotp, newTotpSecret, stepOf, totpUri } from './totp.ts'

/** True if the second factor is enabled, and the number of unused backup codes. */
export const mfaStatus = (q: Queryable, { principal }: RequestContext) =>
  q.one(statements.mfaStatus(principal.accountId))

/**
 * Starts to set up a second factor: returns its secret as a QR code and as text. It is enabled by `enableMfa`. 403
 * without step-up: a second factor of somebody else would lock out the owner.
 */
export async function setUpMfa(
  services: Services,
  ctx: RequestContext,
): Promise<{ qrCodeDataUrl: string; manualEntryKey: string }> {
  const { db, clock, secrets } = services
  const { accountId } = ctx.principal
  await requireStepUp(db, ctx, clock.real())
  const manualEntryKey = newTotpSecret()
  const account = await accountById(db, accountId)
  const setup = {
    secret: secrets.seal(manualEntryKey, sealContextOf(accountId)),
    backupSalt: randomBytes(16),
    real: clock.real(),
  }
  if (!(await db.run(statements.putSetup(accountId, setup))))
    throw apiError(IDENTITY.MFA_ENABLED, { hint: 'Disable it first' })
  const { toDataURL } = await import('qrcode')
  const label = account?.email || account?.username || accountId
  return { qrCodeDataUrl: await toDataURL(totpUri(label, manualEntryKey)), manualEntryKey }
}

/**
 * Enables the second factor with a code of the new secret and returns the backup codes, once. The code stays valid for a
 * sign-in. 403 without step-up.
 */
export async function enableMfa(
  services: Services,
  ctx: RequestContext,
  code: string,
): Promise<{ backupCodes: string[] }> {
  const { db, clock, secrets } = services
  const { accountId } = ctx.principal
  await requireStepUp(db, ctx, clock.real())
  const row = await db.maybe(statements.mfaOf(accountId))
  if (!row) throw apiError(IDENTITY.MFA_NOT_SET_UP, { hint: 'Start with POST /mfa/setup' })
  if (row.enabled) throw apiError(IDENTITY.MFA_ENABLED)
  const secret = secrets.open(row.secret, sealContextOf(accountId))
  await withAttemptLimit(
    services,
    ctx,
    { name: 'mfa', accountId },
    async () => stepOf(secret, code, clock.real()) !== null || apiError(IDENTITY.INVALID_CODE),
  )
  const backupCodes = newBackupCodes()
  const hashes = await Promise.all(
    backupCodes.map(async each => (await hashOfBackupCode(each, row.backupSalt)) ?? Buffer.alloc(0)),
  )
  await db.transaction(async tx => {
    if (!(await tx.run(statements.enableMfa(accountId, row.secret, clock.real()))))
      throw apiError(IDENTITY.MFA_ENABLED)
    await tx.run(statements.insertBackupCodes(accountId, hashes))
    await audit(tx, ctx, 'mfa.enabled', { target: ['account', accountId] })
    const account = await accountById(tx, accountId)
    if (account) await notifyOwner(tx, services, account, 'A second factor was added to your account.')
  })
  return { backupCodes }
}

/** Disables the second factor: with a code of it, or with a backup code after a step-up within five minutes. */
export async function disableMfa(services: Services, ctx: RequestContext, code: string): Promise<void> {
  const { db } = services
  const { accountId } = ctx.principal
  if (!(await isMfaEnabled(db, accountId))) throw apiError(IDENTITY.MFA_NOT_ENABLED)
  await withAttemptLimit(services, ctx, { name: 'mfa', accountId }, async () => {
    if (await proveTotp(services, accountId, { code, purpose: 'disable' })) return true
    if (looksLikeTotp(code)) return apiError(IDENTITY.INVALID_CODE)
    await requireStepUp(db, ctx, services.clock.real())
    return (await proveBackupCode(services, accountId, code)) || apiError(IDENTITY.INVALID_CODE)
  })
  await db.transaction(tx => removeMfa(tx, ctx, { action: 'mfa.disabled', accountId }, services))
}

/**
 * An admin resets the second factor of another account and ends its emailed links. Errors: 403 without step-up or for the
 * account of the caller, 404.
 */
export async function resetMfa(
  tx: Tx,
  ctx: RequestContext,
  accountId: string,
  services: Services,
): Promise<void> {
  // A stolen access token must not remove the second factor of another account.
  await requireStepUp(tx, ctx, tx.clock.real())
  const account = await lockKnownAccount(tx, accountId)
  if (account.id === ctx.principal.accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'Ask another admin to do this' })
  await endLinks(tx, account.id)
  await removeMfa(tx, ctx, { action: 'mfa.reset', accountId }, services)
}

async function removeMfa(
  tx: Tx,
  ctx: RequestContext,
  { action, accountId }: { action: string; accountId: string },
  services: Services,
): Promise<void> {
  if (!(await tx.run(statements.deleteMfa(accountId)))) return
  await audit(tx, ctx, action, { target: ['account', accountId] })
  const account = await accountById(tx, accountId)
  if (account) await notifyOwner(tx, services, account, 'The second factor of your account was turned off.')
}
