import type { Tx } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import type { Services } from '#platform/services'
import { audit } from '#platform/audit'
import { useMailLink } from './mail-link.ts'
import { startSession, type Origin } from './session.ts'
import type { SignedIn } from './sign-in.ts'
import { confirmEmail } from './sql/emails.ts'

/**
 * Confirms an address by the link that went there. Whoever holds only the mail gets no session: a fresh one is for the
 * signed-in registrant.
 */
export async function verifyEmail(
  tx: Tx,
  services: Services,
  input: { token: string; actor: Actor | null; origin: Origin },
): Promise<SignedIn | null> {
  const { token, actor, origin } = input
  const {
    account: { id },
    email,
  } = await useMailLink(tx, services, 'verify', token)
  const account = await tx.one(confirmEmail(id, email, { real: tx.clock.real(), now: tx.now }))
  await audit(tx, {
    action: 'account.email_verified',
    actorId: id,
    actorKind: 'mail_link',
    target: 'account',
    targetId: id,
    ip: origin.ip,
    requestId: origin.requestId,
  })
  const registrant = actor?.kind === 'jwt' && actor.accountId === id
  return registrant
    ? { account, ...(await startSession(tx, services, account, { method: 'email_verification', origin })) }
    : null
}
