import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { accountByEmail, type Account } from './account.ts'
import { IDENTITY } from './faults.ts'
import { sendVerification } from './mail-request.ts'
import { inHashingSlot } from './hashing-queue.ts'
import { hashPassword, passwordFits } from './password.ts'
import { endLinks } from './link.ts'
import { tellOwner } from './notice.ts'
import { isMfaEnabled } from './second-factor.ts'
import { endSessions, type Origin } from './session.ts'
import { revokeUnboundKeys } from './service-account.ts'
import * as statements from './sql/accounts.ts'
import { holdOpenSession } from './sql/sessions.ts'
import { demandStepUp } from './step-up.ts'
import { WINDOW_SECONDS, withinTries } from './tries.ts'

const MAILS = 5

export interface ProfileChange {
  displayName?: string
  email?: string
}

/**
 * Changes the given fields. A new e-mail address gets a mail first and is the account's once it is confirmed (POST
 * /auth/verify-email); a taken one is a 409. It opens the account from then on, so that a stolen session must not
 * choose it: 403 without a fresh proof, and the present address is told. At most 5 such mails in 15 minutes.
 */
export async function updateProfile(
  services: Services,
  actor: Actor,
  { displayName, email }: ProfileChange,
  origin: Origin,
): Promise<{ account: Account; pendingEmail?: string }> {
  const { db, limits } = services
  const present = await db.one(statements.accountById(actor.accountId))
  const pendingEmail = email !== undefined && email.toLowerCase() !== present.email.toLowerCase() ? email : undefined
  if (pendingEmail) await limits.demand(`change-email:${actor.accountId}`, MAILS, WINDOW_SECONDS)
  return db.transaction(async tx => {
    const account =
      displayName === undefined
        ? await tx.one(statements.lockAccount(actor.accountId))
        : await tx.one(statements.setDisplayName(actor.accountId, displayName, tx.now))
    if (!pendingEmail) return { account }
    // Under the lock of the account: after a new password that ended this session nothing more is asked for in it.
    await demandStepUp(tx, actor, tx.clock.real())
    if (await accountByEmail(tx, pendingEmail)) throw fault(IDENTITY.EMAIL_TAKEN)
    // The newest wish holds.
    await endLinks(tx, actor.accountId, 'verify')
    await sendVerification(tx, services, { id: actor.accountId, email: pendingEmail }, origin.ip)
    await tellOwner(tx, services, account, 'Somebody, hopefully you, asked to change the e-mail address of your account.')
    await note(tx, actor, 'account.email_change_asked', origin)
    return { account, pendingEmail }
  })
}

const note = (tx: Tx, actor: Actor, action: string, { ip, requestId }: Origin) =>
  audit(tx, {
    action,
    actorId: actor.accountId,
    actorKind: actor.kind,
    target: 'account',
    targetId: actor.accountId,
    ip,
    requestId,
  })

/**
 * A new password for who knows the present one (401 otherwise, 10 tries in 15 minutes), which is the proof that others
 * give by step-up; where a second factor is on it is not enough (403). All other sessions end, all links, and with
 * `revokeApiKeys` the unbound keys; the owner gets a mail.
 */
export async function changePassword(
  services: Services,
  actor: Actor,
  input: { currentPassword: string; newPassword: string; revokeApiKeys?: boolean },
  origin: Origin,
): Promise<void> {
  const { db } = services
  const { accountId } = actor
  const proveCurrent = async () => {
    const { passwordHash } = await db.one(statements.passwordHolderById(accountId))
    return (await passwordFits(input.currentPassword, passwordHash)) || fault(IDENTITY.INVALID_CREDENTIALS)
  }
  if (await isMfaEnabled(db, accountId)) await demandStepUp(db, actor, services.clock.real())
  const subject = { ip: origin.ip, account: accountId }
  await inHashingSlot(subject, () => withinTries(services, { name: 'change-password', accountId, origin }, proveCurrent))
  const passwordHash = await hashPassword(input.newPassword, subject)
  await db.transaction(async tx => {
    await tx.run(statements.setPassword(actor.accountId, passwordHash, tx.now))
    // Under the lock of the account: a password that was set by mail meanwhile ended this session, and stays.
    if (!(await tx.maybe(holdOpenSession(actor.sessionId ?? '', accountId)))) throw fault(COMMON.UNAUTHORIZED)
    await endSessions(tx, actor.accountId, 'password_changed', actor.sessionId)
    await endLinks(tx, actor.accountId)
    const { ip, requestId } = origin
    if (input.revokeApiKeys) await revokeUnboundKeys(tx, accountId, { actorId: accountId, actorKind: actor.kind, ip, requestId })
    await note(tx, actor, 'account.password_changed', origin)
    const account = await tx.one(statements.accountById(actor.accountId))
    await tellOwner(tx, services, account, 'The password of your account was changed.')
  })
}
