import type { Tx } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { audit } from '#platform/audit'
import { endLinks } from './link.ts'
import { useMailLink } from './mail-link.ts'
import { tellOwner } from './notice.ts'
import { renewSession, type Origin } from './session.ts'
import type { SignedIn } from './sign-in.ts'
import { confirmEmail } from './sql/emails.ts'

/**
 * Confirms an address by the link that went there. Whoever holds only the mail gets no session. The signed-in
 * registrant gets fresh tokens of the same session: a link shows no password and no second factor, so that it must not
 * make a newer sign-in of the one that it was sent with.
 */
export async function verifyEmail(
  tx: Tx,
  services: Services,
  input: { token: string; actor: Actor | null; origin: Origin },
): Promise<SignedIn | null> {
  const { token, actor, origin } = input
  const { account: before, email } = await useMailLink(tx, services, 'verify', token)
  const { id } = before
  const account = await tx.one(confirmEmail(id, email, { real: tx.clock.real(), now: tx.now }))
  const isChange = before.email.toLowerCase() !== email.toLowerCase()
  if (isChange) {
    await endLinks(tx, id)
    await tellOwner(tx, services, before, 'The e-mail address of your account was changed to another one.')
  }
  await audit(tx, {
    action: isChange ? 'account.email_changed' : 'account.email_verified',
    actorId: id,
    actorKind: 'mail_link',
    target: 'account',
    targetId: id,
    ip: origin.ip,
    requestId: origin.requestId,
  })
  if (actor?.kind !== 'jwt' || actor.accountId !== id || !actor.sessionId) return null
  const pair = await renewSession(tx, services, { accountId: id, sessionId: actor.sessionId })
  return pair && { account, ...pair }
}
