import { randomBytes } from 'node:crypto'
import { toDataURL } from 'qrcode'
import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { accountById } from './account.ts'
import { hashOfBackupCode, newBackupCodes } from './backup-code.ts'
import { IDENTITY } from './faults.ts'
import { tellOwner } from './notice.ts'
import { contextOf, isMfaEnabled, proveBackupCode, proveTotp } from './second-factor.ts'
import type { Origin } from './session.ts'
import * as statements from './sql/mfa.ts'
import { demandStepUp } from './step-up.ts'
import { looksLikeTotp, newTotpSecret, stepOf, totpUri } from './totp.ts'
import { withinTries } from './tries.ts'

/**
 * Begins the set-up of a second factor: the secret as a QR code and as text. It asks for nothing until a code of it was
 * shown. 403 without a fresh proof: a factor that somebody else sets up locks the owner out.
 */
export async function setUpMfa(
  services: Services,
  actor: Actor,
): Promise<{ qrCodeDataUrl: string; manualEntryKey: string }> {
  const { db, clock, secrets } = services
  const { accountId } = actor
  await demandStepUp(db, actor, clock.real())
  const manualEntryKey = newTotpSecret()
  const account = await accountById(db, accountId)
  const setup = {
    secret: secrets.seal(manualEntryKey, contextOf(accountId)),
    backupSalt: randomBytes(16),
    real: clock.real(),
  }
  if (!(await db.run(statements.putSetup(accountId, setup))))
    throw fault(IDENTITY.MFA_ENABLED, { hint: 'Disable it first' })
  const label = account?.email || account?.username || accountId
  return { qrCodeDataUrl: await toDataURL(totpUri(label, manualEntryKey)), manualEntryKey }
}

/**
 * Turns the second factor on with a code of the new secret; answers the backup codes, once. The code stays good for a
 * sign-in. 403 without a fresh proof.
 */
export async function enableMfa(services: Services, actor: Actor, code: string, origin: Origin): Promise<string[]> {
  const { db, clock, secrets } = services
  const { accountId } = actor
  await demandStepUp(db, actor, clock.real())
  const row = await db.maybe(statements.mfaOf(accountId))
  if (!row) throw fault(IDENTITY.MFA_NOT_SET_UP, { hint: 'Start with POST /mfa/setup' })
  if (row.enabled) throw fault(IDENTITY.MFA_ENABLED)
  await withinTries(
    services,
    { name: 'mfa', accountId, origin },
    async () =>
      stepOf(secrets.open(row.secret, contextOf(accountId)), code, clock.real()) !== null ||
      fault(IDENTITY.INVALID_CODE),
  )
  const backupCodes = newBackupCodes()
  const hashes = await Promise.all(
    backupCodes.map(async each => (await hashOfBackupCode(each, row.backupSalt)) ?? Buffer.alloc(0)),
  )
  await db.transaction(async tx => {
    if (!(await tx.run(statements.enableMfa(accountId, row.secret, clock.real())))) throw fault(IDENTITY.MFA_ENABLED)
    await tx.run(statements.insertBackupCodes(accountId, hashes))
    await note(tx, { action: 'mfa.enabled', actor, accountId, origin })
    const account = await accountById(tx, accountId)
    if (account) await tellOwner(tx, services, account, 'A second factor was added to your account.')
  })
  return backupCodes
}

/**
 * Turns the second factor off: by a code of it, or with a backup code by who proved themselves in the last five
 * minutes.
 */
export async function disableMfa(services: Services, actor: Actor, code: string, origin: Origin): Promise<void> {
  const { db } = services
  const { accountId } = actor
  if (!(await isMfaEnabled(db, accountId))) throw fault(IDENTITY.MFA_NOT_ENABLED)
  await withinTries(services, { name: 'mfa', accountId, origin }, async () => {
    if (await proveTotp(services, accountId, { code, purpose: 'disable' })) return true
    if (looksLikeTotp(code)) return fault(IDENTITY.INVALID_CODE)
    await demandStepUp(db, actor, services.clock.real())
    return (await proveBackupCode(services, accountId, code)) || fault(IDENTITY.INVALID_CODE)
  })
  await db.transaction(tx => removeMfa(tx, services, { action: 'mfa.disabled', actor, accountId, origin }))
}

interface Change {
  action: string
  actor: Actor
  accountId: string
  origin: Origin
}

/** Takes the second factor away and tells the owner by mail. False when there was none. */
export async function removeMfa(tx: Tx, services: Services, change: Change): Promise<boolean> {
  if (!(await tx.run(statements.deleteMfa(change.accountId)))) return false
  await note(tx, change)
  const account = await accountById(tx, change.accountId)
  if (account) await tellOwner(tx, services, account, 'The second factor of your account was turned off.')
  return true
}

const note = (tx: Tx, { action, actor, accountId, origin }: Change) =>
  audit(tx, {
    action,
    actorId: actor.accountId,
    actorKind: actor.kind,
    target: 'account',
    targetId: accountId,
    ip: origin.ip,
    requestId: origin.requestId,
  })
