import type { PublicContext } from '#platform/http/principal'
import { attribute, audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { accountById } from '../account/account.ts'
import { setPassword } from '../account/sql.ts'
import { passwordWarnings } from '../credentials/password-rules.ts'
import { hashPassword } from '../credentials/password.ts'
import { endSessions } from '../credentials/session.ts'
import { endLinks, linkOwner } from '../mail/link.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { revokeUnboundKeys } from '../service-accounts/service-account.ts'
import { useAddressLink } from './magic-link.ts'
import { signIn, type MfaRequired, type SignedIn } from './sign-in.ts'

interface Reset {
  token: string
  newPassword: string
  /** True: the unbound `sk_` keys of the account are revoked too. */
  revokeApiKeys?: boolean
}

/**
 * Sets a new password with an emailed link, and returns warnings about the password. All sessions and links end; the
 * caller is signed in, or the second factor is required. 400 for an invalid link.
 */
export async function resetPassword(
  services: Services,
  ctx: PublicContext,
  input: Reset,
): Promise<{ result: MfaRequired | SignedIn; warnings: string[] }> {
  const { db, clock } = services
  // Before hashing, which would let invalid tokens use up CPU time.
  const owner = await linkOwner(db, 'reset', input.token, clock.real())
  const account = owner === null ? undefined : await accountById(db, owner)
  const about = [account?.email, account?.displayName, account?.username]
  const warnings = await passwordWarnings(input.newPassword, services, { field: 'newPassword', about })
  const passwordHash = await hashPassword(input.newPassword, { ip: ctx.ip, account: input.token })
  const result = await db.transaction(tx => setPasswordByLink(tx, ctx, { ...input, passwordHash }, services))
  return { result, warnings }
}

async function setPasswordByLink(
  tx: Tx,
  ctx: PublicContext,
  { token, revokeApiKeys, passwordHash }: Reset & { passwordHash: string },
  services: Services,
): Promise<MfaRequired | SignedIn> {
  const account = await useAddressLink(tx, ctx, { purpose: 'reset', token }, services)
  const author = attribute(ctx, 'mail_link', account.id)
  await tx.run(setPassword(account.id, passwordHash, tx.now))
  await endSessions(tx, account.id, 'password_reset')
  await endLinks(tx, account.id)
  if (revokeApiKeys) await revokeUnboundKeys(tx, author, account.id)
  await audit(tx, author, 'account.password_reset', { target: ['account', account.id] })
  await notifyOwner(tx, services, account, 'The password of your account was changed.')
  return signIn(tx, ctx, { account, method: 'password_reset' }, services)
}
