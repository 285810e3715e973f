import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { endLinks, linkOwner } from './link.ts'
import { useAddress } from './magic-link.ts'
import { tellOwner } from './notice.ts'
import { hashPassword } from './password.ts'
import { endSessions, type Origin } from './session.ts'
import { revokeUnboundKeys } from './service-account.ts'
import { signIn, type MfaAsked, type SignedIn } from './sign-in.ts'
import { setPassword } from './sql/accounts.ts'

interface Reset {
  token: string
  newPassword: string
  /** Whether the account's unbound `sk_` keys end too. */
  revokeApiKeys?: boolean
  actor: Actor | null
  origin: Origin
}

/**
 * A new password by a link that went out by mail. All sessions and links end; the caller is signed in, or asked for
 * the second factor. 400 for a link that is no good, before the password is hashed: who makes tokens up costs nothing.
 */
export async function resetPassword(services: Services, input: Reset): Promise<MfaAsked | SignedIn> {
  const { db, clock } = services
  await linkOwner(db, 'reset', input.token, clock.real())
  const passwordHash = await hashPassword(input.newPassword, { ip: input.origin.ip, account: input.token })
  return db.transaction(tx => setPasswordByLink(tx, services, passwordHash, input))
}

async function setPasswordByLink(
  tx: Tx,
  services: Services,
  passwordHash: string,
  input: Reset,
): Promise<MfaAsked | SignedIn> {
  const { origin } = input
  const account = await useAddress(tx, services, 'reset', input)
  await tx.run(setPassword(account.id, passwordHash, tx.now))
  await endSessions(tx, account.id, 'password_reset')
  await endLinks(tx, account.id)
  const { ip, requestId } = origin
  if (input.revokeApiKeys) await revokeUnboundKeys(tx, account.id, { actorId: account.id, actorKind: 'mail_link', ip, requestId })
  await audit(tx, {
    action: 'account.password_reset',
    actorId: account.id,
    actorKind: 'mail_link',
    target: 'account',
    targetId: account.id,
    ip,
    requestId,
  })
  await tellOwner(tx, services, account, 'The password of your account was changed.')
  return signIn(tx, services, account, { method: 'password_reset', origin })
}
