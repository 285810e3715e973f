import { ANONYMOUS, type PublicContext } from '#platform/http/principal'
import { attribute, audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import { confirmEmail } from '../account/email-sql.ts'
import { passwordHolderById } from '../account/sql.ts'
import { inHashingSlot } from '../credentials/hashing-queue.ts'
import { passwordFits } from '../credentials/password.ts'
import { renewSession, sessionOf } from '../credentials/session.ts'
import { IDENTITY } from '../errors.ts'
import { endLinks, linkOwner } from '../mail/link.ts'
import { useMailLink } from '../mail/mail-link.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { withAttemptLimit } from '../mfa/attempts.ts'
import { proveAddress } from './address-proof.ts'
import type { SignedIn } from './sign-in.ts'

interface Confirmation {
  token: string
  /** Password of the account: proves that the holder of the address created it. */
  password?: string
  /** False: the holder of the address did not create the account. */
  createdByMe?: boolean
}

/**
 * Confirms an address by the link that was emailed to it. The link proves who holds the address, not who created the
 * account; that takes an access token of the account or its password (401 for a wrong one). With `createdByMe` false the
 * credentials of the registrant are revoked, and a requested change of address is dropped. The signed-in registrant gets
 * fresh tokens of the same session; a caller with the link alone gets no session.
 */
export async function verifyEmail(
  services: Services,
  ctx: PublicContext,
  { token, password, createdByMe }: Confirmation,
): Promise<SignedIn | null> {
  const { db } = services
  if (password) await provePassword(services, ctx, { token, password })
  return db.transaction(async tx => {
    const link = await useMailLink(tx, services, 'verify', token)
    if (createdByMe === false) return disown(tx, ctx, link, services)
    const accountId = link.account.id
    const sessionId = sessionOf(ctx, accountId)
    const isOwner = Boolean(password) || sessionId !== null
    const account = await confirm(tx, ctx, { ...link, isOwner }, services)
    const pair = sessionId && (await renewSession(tx, services, { accountId, sessionId }))
    return pair ? { account, ...pair } : null
  })
}

async function provePassword(
  services: Services,
  ctx: PublicContext,
  { token, password }: { token: string; password: string },
): Promise<void> {
  const { db, clock } = services
  const accountId = await linkOwner(db, 'verify', token, clock.real())
  if (accountId === null) throw apiError(IDENTITY.INVALID_LINK)
  const { passwordHash } = await db.one(passwordHolderById(accountId))
  const prove = async () =>
    (await passwordFits(password, passwordHash)) || apiError(IDENTITY.INVALID_CREDENTIALS)
  await inHashingSlot({ ip: ctx.ip, account: accountId }, () =>
    withAttemptLimit(services, ctx, { name: 'verify-email', accountId }, prove),
  )
}

/** A used link: the account, and the address to which the mail went. */
interface UsedLink {
  account: Account
  email: string
}

const isChange = ({ account, email }: UsedLink): boolean =>
  account.email.toLowerCase() !== email.toLowerCase()

async function confirm(
  tx: Tx,
  ctx: PublicContext,
  link: UsedLink & { isOwner: boolean },
  services: Services,
): Promise<Account> {
  const { account: before, email, isOwner } = link
  const times = { real: tx.clock.real(), now: tx.now }
  const account = await tx.one(confirmEmail(before.id, { email, isOwner, ...times }))
  if (isChange(link)) {
    await endLinks(tx, before.id)
    await notifyOwner(tx, services, before, 'The email address of your account was changed to another one.')
  }
  const action = isChange(link) ? 'account.email_changed' : 'account.email_verified'
  await audit(tx, attribute(ctx, 'mail_link', before.id), action, { target: ['account', before.id] })
  return account
}

// The account that requested a change to this address belongs to somebody else: it stays unchanged.
async function disown(tx: Tx, ctx: PublicContext, link: UsedLink, services: Services): Promise<null> {
  const { account } = link
  const author = attribute(ctx, 'mail_link', account.id)
  await audit(tx, author, 'account.disowned', { target: ['account', account.id] })
  // Without the principal: a session of the registrant, even in this browser, ends too.
  const anonymous = { ...ctx, principal: ANONYMOUS }
  if (isChange(link)) return null
  if (!(await proveAddress(tx, anonymous, { account, by: 'mail_link' }, services)))
    throw apiError(COMMON.FORBIDDEN, {
      hint: 'The account has a second factor, so nothing was revoked: ask the operator of this service',
    })
  return null
}
