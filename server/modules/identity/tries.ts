import { audit } from '#platform/audit'
import { HOUR, MINUTE, SECOND } from '#platform/clock'
import type { Actor } from '#platform/http/actor'
import { networkOf } from '#platform/limits'
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
  if (remaining === TRIES - 1) await noteFailure(services, `${name.replace('-', '_')}.failed`, accountId, origin)
  if (remaining === 0) await noteLock(services, `${name.replace('-', '_')}.locked`, accountId, origin)
  throw proved
}

/** How many failed sign-ins from one network enter the audit log in an hour: a spray over many accounts must not fill it. */
const FAILURES_PER_NETWORK = 100

/**
 * The first failure of an account in its window enters the audit log (the last one does as a lock). For unknown addresses
 * too: the work is the same.
 */
export async function noteFailure(
  { db, limits }: Pick<Services, 'db' | 'limits'>,
  action: string,
  accountId: string | null,
  { ip, requestId }: Origin,
): Promise<void> {
  const { allowed } = await limits.take(`audit:${action}:${networkOf(ip)}`, FAILURES_PER_NETWORK, HOUR / SECOND)
  if (!allowed) return
  const event = { action, actorId: null, actorKind: 'anonymous', target: 'account', targetId: accountId, ip, requestId }
  await db.transaction(tx => audit(tx, event))
}

/** At most this many refused admin operations of one account enter the audit log in 15 minutes. */
const REFUSALS_PER_ACCOUNT = 10

/** An account that is not an admin called an operation of admins. */
export async function noteRefusedAdmin(
  { db, limits }: Pick<Services, 'db' | 'limits'>,
  { accountId, kind }: Pick<Actor, 'accountId' | 'kind'>,
  { ip, requestId, operation }: { ip: string; requestId: string; operation: string },
): Promise<void> {
  if (!(await limits.take(`audit:admin.refused:${accountId}`, REFUSALS_PER_ACCOUNT, WINDOW_SECONDS)).allowed) return
  const event = { action: 'admin.refused', actorId: accountId, actorKind: kind, target: 'account', targetId: accountId, ip, requestId }
  await db.transaction(tx => audit(tx, { ...event, details: { operation } }))
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
