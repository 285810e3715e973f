import { after, DAY, HOUR, type Clock } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import { TtlCache } from '#platform/kernel/collections/ttl-cache'
import { COOKIE_DAYS } from './clicks/redirect.ts'
import * as statements from './sql.ts'

/** Who brought an account, and until when that earns. */
export interface Referral {
  code: string
  /** `click`: by the cookie of a link; `registration`: by the code that the registration named. */
  source: 'registration' | 'click'
  clickId: string | null
  boundAt: Date
  expiresAt: Date
}

/**
 * Binds a new account to an affiliate, for as many months as the affiliate's profile says: to that of the code, else to
 * that of the last click. Null if neither belongs to an ACTIVE affiliate: a wrong code keeps nobody from registering.
 */
export async function bindReferral(
  tx: Tx,
  { accountId, code, clickId }: { accountId: string; code?: string; clickId?: string },
): Promise<Referral | null> {
  const byCode =
    code === undefined
      ? undefined
      : await tx.maybe(statements.insertReferral({ accountId, code: code.trim(), now: tx.now }))
  if (byCode || clickId === undefined || !isId(clickId)) return byCode ?? null
  const since = after(tx.now, -COOKIE_DAYS * DAY)
  return (
    (await tx.maybe(statements.insertReferralOfClick({ accountId, clickId, since, now: tx.now }))) ?? null
  )
}

/** Binds an account that was created with the code, or after a click, of an affiliate. */
export async function bindReferralOfNewAccount(
  tx: Tx,
  { accountId, referralCode: code, clickId }: { accountId: string; referralCode?: string; clickId?: string },
): Promise<void> {
  if (code !== undefined || clickId !== undefined) await bindReferral(tx, { accountId, code, clickId })
}

const REMEMBERED = 10_000

/**
 * Who referred the accounts that deal. A referral is bound when the account is created and never changes, so that it is
 * read once and not with every deal.
 */
export class Referrals {
  readonly #cache = new TtlCache<Referral | null>(HOUR, REMEMBERED)
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The metadata of an account's referral; null if it has none, or none that still earns. */
  async metaOf(q: Queryable, accountId: string): Promise<ReturnType<typeof referralMeta> | null> {
    const referral = await this.#cache.get(
      accountId,
      async () => (await q.maybe(statements.referralOf(accountId))) ?? null,
    )
    return referral && referral.expiresAt > this.#clock.now() ? referralMeta(referral) : null
  }
}

/** The response's metadata about a referral (api.md, `svc_meta`). */
export const referralMeta = ({ code, source, clickId, boundAt, expiresAt }: Referral) => ({
  referral: {
    code,
    source,
    clickId,
    boundAt: boundAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  },
})
