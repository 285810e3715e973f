import { audit } from '#platform/kernel/audit'
import { HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import type { PublicContext, RequestContext } from '#platform/http/principal'
import { networkOf } from '#platform/http/limits/limits'
import type { Services } from '#platform/kernel/services'

export const ATTEMPTS_MAX = 10
export const WINDOW_SECONDS = (15 * MINUTE) / SECOND

/** An attempt to prove something of an account: with a code of the second factor, or with its password. */
export interface Attempt {
  name: 'mfa' | 'step-up' | 'change-password' | 'verify-email'
  accountId: string
}

/**
 * Runs `prove` as one of the 10 attempts that an account has in 15 minutes, and throws the error that it returns. The
 * attempt is counted before it is checked, so that concurrency cannot exceed the limit. A success starts a new window.
 */
export async function withAttemptLimit(
  services: Services,
  ctx: PublicContext,
  { name, accountId }: Attempt,
  prove: () => Promise<true | Error>,
): Promise<void> {
  const key = `${name}:${accountId}`
  const { remaining } = await services.limits.requireQuota(key, ATTEMPTS_MAX, WINDOW_SECONDS)
  const proved = await prove()
  if (proved === true) return services.limits.reset(key)
  await auditRefusedAttempt(services, ctx, name.replace('-', '_'), { accountId, remaining })
  throw proved
}

/** How many failed attempts of one network enter the audit log in an hour: many accounts must not fill it. */
const FAILURES_PER_NETWORK = 100

interface RefusedAttempt {
  /** Null for an unknown email address: the request takes as long as for a known one. */
  accountId: string | null
  /** Attempts left in the window. */
  remaining: number
}

/** Audits the first refused attempt of a window as `.failed`, and the one that exhausts the limit as `.locked`. */
export async function auditRefusedAttempt(
  { db, limits }: Pick<Services, 'db' | 'limits'>,
  ctx: PublicContext,
  name: string,
  { accountId, remaining }: RefusedAttempt,
): Promise<void> {
  const author = { by: ['anonymous', null], ip: ctx.ip, requestId: ctx.requestId } as const
  const write = (action: string) =>
    db.transaction(tx => audit(tx, author, action, { target: ['account', accountId] }))
  if (remaining === ATTEMPTS_MAX - 1) {
    const key = `audit:${name}.failed:${networkOf(ctx.ip)}`
    if ((await limits.take(key, FAILURES_PER_NETWORK, HOUR / SECOND)).allowed) await write(`${name}.failed`)
  }
  if (remaining === 0) await write(`${name}.locked`)
}

/** At most this many refused admin operations of one account enter the audit log in 15 minutes. */
const REFUSALS_PER_ACCOUNT = 10

/** Audits that an account which is not an admin called an operation of admins. */
export async function auditRefusedAdmin(
  { db, limits }: Pick<Services, 'db' | 'limits'>,
  ctx: RequestContext,
  operation: string,
): Promise<void> {
  const { accountId } = ctx.principal
  if (!(await limits.take(`audit:admin.refused:${accountId}`, REFUSALS_PER_ACCOUNT, WINDOW_SECONDS)).allowed)
    return
  await db.transaction(tx =>
    audit(tx, ctx, 'admin.refused', { target: ['account', accountId], details: { operation } }),
  )
}
