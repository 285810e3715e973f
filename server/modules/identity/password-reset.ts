import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { endLinks } from './link.ts'
import { useAddress } from './magic-link.ts'
import { tellOwner } from './notice.ts'
import { endSessions, type Origin } from './session.ts'
import { signIn, type MfaAsked, type SignedIn } from './sign-in.ts'
import { setPassword } from './sql/accounts.ts'

/**
 * A new password by a link that went out by mail. All sessions and links end; the caller is signed in, or asked for
 * the second factor.
 */
export async function resetPassword(
  tx: Tx,
  services: Services,
  input: { token: string; passwordHash: string; actor: Actor | null; origin: Origin },
): Promise<MfaAsked | SignedIn> {
  const { passwordHash, origin } = input
  const account = await useAddress(tx, services, 'reset', input)
  await tx.run(setPassword(account.id, passwordHash, tx.now))
  await endSessions(tx, account.id, 'password_reset')
  await endLinks(tx, account.id)
  await audit(tx, {
    action: 'account.password_reset',
    actorId: account.id,
    actorKind: 'mail_link',
    target: 'account',
    targetId: account.id,
    ip: origin.ip,
    requestId: origin.requestId,
  })
  await tellOwner(tx, services, account, 'The password of your account was changed.')
  return signIn(tx, services, account, { method: 'password_reset', origin })
}
