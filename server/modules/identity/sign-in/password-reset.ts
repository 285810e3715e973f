import type { PublicContext } from '#platform/http/principal'
import { attribute } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { accountById } from '../account/account.ts'
import { passwordWarnings } from '../credentials/password-rules.ts'
import { hashPassword } from '../credentials/password.ts'
import { linkOwner } from '../mail/link.ts'
import { useAddressLink } from './magic-link.ts'
import { takeNewPassword } from './new-password.ts'
import { signIn, type MfaRequired, type SignedIn } from './sign-in.ts'

interface Reset {
  token: string
  newPassword: string
  /** True: the unbound `sk_` keys of the account are revoked too. */
  revokeApiKeys?: boolean
}

/**
 * Sets a new password with an emailed link, and returns warnings about the password. All sessions and links end; the
 * caller is signed in, or the second factor is required. If the factor guards an unconfirmed address, all this happens
 * with the code of the factor. 400 for an invalid link.
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
  const { token, revokeApiKeys } = input
  const result = await db.transaction(tx =>
    setPasswordByLink(tx, ctx, { token, revokeApiKeys, passwordHash }, services),
  )
  return { result, warnings }
}

async function setPasswordByLink(
  tx: Tx,
  ctx: PublicContext,
  { token, ...newPassword }: Pick<Reset, 'token' | 'revokeApiKeys'> & { passwordHash: string },
  services: Services,
): Promise<MfaRequired | SignedIn> {
  const { account, isGuarded } = await useAddressLink(tx, ctx, { purpose: 'reset', token }, services)
  const proved = { account, method: 'password_reset' }
  // The holder of an address that nobody confirmed changes nothing without the second factor (docs/adr/0008).
  if (isGuarded) return signIn(tx, ctx, { ...proved, newPassword }, services)
  await takeNewPassword(tx, attribute(ctx, 'mail_link', account.id), { account, ...newPassword }, services)
  return signIn(tx, ctx, proved, services)
}
