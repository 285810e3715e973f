import { audit } from '#platform/audit'
import { MINUTE, SECOND } from '#platform/clock'
import type { Services } from '#platform/services'
import type { Origin } from './session.ts'

export const TRIES = 10
export const WINDOW_SECONDS = (15 * MINUTE) / SECOND

/** What is tried: a code of the second factor, or the password of an account that is signed in. */
export interface Trial {
  name: 'mfa' | 'step-up' | 'change-password' | 'verify-email'
  accountId: string
  origin: Origin
}

/**
 * Runs `prove` as one of the 10 tries that an account has in 15 minutes; throws the fault that it gives.
 * A try is counted before it is looked at, so that many at once get no more; a success opens a new window.
 */
export async function withinTries(
  services: Services,
  { name, accountId, origin }: Trial,
  prove: () => Promise<true | Error>,
): Promise<void> {
  const key = `${name}:${accountId}`
  const { remaining } = await services.limits.demand(key, TRIES, WINDOW_SECONDS)
  const proved = await prove()
  if (proved === true) return services.limits.forget(key)
  if (remaining === 0) await noteLock(services, `${name.replace('-', '_')}.locked`, accountId, origin)
  throw proved
}

/** The last try failed: whoever guesses waits from now on, and the audit log knows. */
export async function noteLock(
  { db }: Pick<Services, 'db'>,
  action: string,
  accountId: string | null,
  { ip, requestId }: Origin,
): Promise<void> {
  const event = { action, actorId: null, actorKind: 'anonymous', target: 'account', targetId: accountId, ip, requestId }
  await db.transaction(tx => audit(tx, event))
}
