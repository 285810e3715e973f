import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { RequestContext, SessionPrincipal } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { accountByEmail, type Account } from '../account/account.ts'
import * as statements from '../account/sql.ts'
import { inHashingSlot } from '../credentials/hashing-queue.ts'
import { passwordWarnings } from '../credentials/password-rules.ts'
import { hashPassword, passwordFits } from '../credentials/password.ts'
import { lockOpenSessionForShare } from '../credentials/session-sql.ts'
import { endSessions } from '../credentials/session.ts'
import { IDENTITY } from '../errors.ts'
import { endLinks } from '../mail/link.ts'
import { pendingEmailOf } from '../mail/mail-link.ts'
import { sendVerification } from '../mail/mail-request.ts'
import { endChangeLinks } from '../mail/sql.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { WINDOW_SECONDS, withAttemptLimit } from '../mfa/attempts.ts'
import { isMfaEnabled } from '../mfa/second-factor.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import { revokeUnboundKeys } from '../service-accounts/service-account.ts'

/** How many emails to new addresses an account can request in 15 minutes. */
const EMAIL_CHANGES_MAX = 5

/** An account as its owner sees it: `pendingEmail` is an address that waits for its confirmation. */
export interface OwnAccount {
  account: Account
  pendingEmail?: string
}

interface ProfileChange {
  displayName?: string
  email?: string
}

export async function readProfile(q: Queryable, services: Services, accountId: string): Promise<OwnAccount> {
  return withPendingEmail(q, services, await q.one(statements.accountById(accountId)))
}

async function withPendingEmail(q: Queryable, services: Services, account: Account): Promise<OwnAccount> {
  const pendingEmail = await pendingEmailOf(q, services, account.id)
  return { account, ...(pendingEmail === undefined ? {} : { pendingEmail }) }
}

/**
 * Changes the given fields. A new email address takes effect when the link in an email to it is used (POST
 * /auth/verify-email). Because it can sign in to the account then, it needs step-up (403), and the present address is
 * notified. The present address withdraws a change that waits. 409 for a taken address.
 */
export async function updateProfile(
  services: Services,
  ctx: RequestContext,
  { displayName, email }: ProfileChange,
): Promise<OwnAccount> {
  const { db, limits } = services
  const { accountId } = ctx.principal
  const present = await db.one(statements.accountById(accountId))
  const isNew = email !== undefined && email.toLowerCase() !== present.email.toLowerCase()
  if (isNew) await limits.requireQuota(`change-email:${accountId}`, EMAIL_CHANGES_MAX, WINDOW_SECONDS)
  return db.transaction(async tx => {
    const account =
      displayName === undefined
        ? await tx.one(statements.lockAccount(accountId))
        : await tx.maybe(statements.setDisplayName(accountId, displayName, tx.now))
    // The account was deleted after the request was authenticated.
    if (!account) throw apiError(COMMON.UNAUTHORIZED)
    if (isNew) await requestEmailChange(tx, ctx, { account, email }, services)
    else if (email !== undefined) await withdrawEmailChange(tx, ctx)
    return withPendingEmail(tx, services, account)
  })
}

async function withdrawEmailChange(tx: Tx, ctx: RequestContext): Promise<void> {
  const { accountId } = ctx.principal
  if (await tx.run(endChangeLinks(accountId, tx.clock.real())))
    await audit(tx, ctx, 'account.email_change_withdrawn', { target: ['account', accountId] })
}

// The caller has locked the account: a session that a new password has ended fails the step-up.
async function requestEmailChange(
  tx: Tx,
  ctx: RequestContext,
  { account, email }: { account: Account; email: string },
  services: Services,
): Promise<void> {
  await requireStepUp(tx, ctx, tx.clock.real())
  if (await accountByEmail(tx, email)) throw apiError(IDENTITY.EMAIL_TAKEN)
  // Only the newest requested address can be confirmed.
  await endLinks(tx, account.id, 'verify')
  await sendVerification(tx, services, { id: account.id, email, isChange: true }, ctx.ip)
  const notice = 'Somebody, hopefully you, asked to change the email address of your account.'
  await notifyOwner(tx, services, account, notice)
  await audit(tx, ctx, 'account.email_change_asked', { target: ['account', account.id] })
}

interface PasswordChange {
  currentPassword: string
  newPassword: string
  /** True: the unbound `sk_` keys of the account are revoked too. */
  revokeApiKeys?: boolean
}

/**
 * Changes the password and returns warnings about the new one. Requires the current one (401 otherwise, 10 attempts in 15
 * minutes), and step-up if a second factor is enabled (403). All other sessions and all emailed links end; the owner is
 * notified.
 */
export async function changePassword(
  services: Services,
  ctx: RequestContext<SessionPrincipal>,
  { currentPassword, newPassword, revokeApiKeys }: PasswordChange,
): Promise<string[]> {
  const { db } = services
  const { accountId, sessionId } = ctx.principal
  const { email, displayName, username } = await db.one(statements.accountById(accountId))
  const about = [email, displayName, username]
  const warnings = await passwordWarnings(newPassword, services, { field: 'newPassword', about })
  if (await isMfaEnabled(db, accountId)) await requireStepUp(db, ctx, services.clock.real())
  const subject = { ip: ctx.ip, account: accountId }
  await inHashingSlot(subject, () =>
    withAttemptLimit(services, ctx, { name: 'change-password', accountId }, async () => {
      const { passwordHash } = await db.one(statements.passwordHolderById(accountId))
      return (await passwordFits(currentPassword, passwordHash)) || apiError(IDENTITY.INVALID_CREDENTIALS)
    }),
  )
  const passwordHash = await hashPassword(newPassword, subject)
  await db.transaction(async tx => {
    await tx.run(statements.lockAccount(accountId))
    // Under the lock of the account: a deletion, or a password that was set by an emailed link, has ended this session.
    if (!(await tx.maybe(lockOpenSessionForShare(sessionId, accountId)))) throw apiError(COMMON.UNAUTHORIZED)
    await tx.run(statements.setPassword(accountId, passwordHash, tx.now))
    await endSessions(tx, accountId, 'password_changed', sessionId)
    await endLinks(tx, accountId)
    if (revokeApiKeys) await revokeUnboundKeys(tx, ctx, accountId)
    await audit(tx, ctx, 'account.password_changed', { target: ['account', accountId] })
    const account = await tx.one(statements.accountById(accountId))
    await notifyOwner(tx, services, account, 'The password of your account was changed.')
  })
  return warnings
}
