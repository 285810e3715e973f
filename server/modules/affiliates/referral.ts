import type { Tx } from '#platform/db'
import * as statements from './sql.ts'

/** Who brought an account, and until when that earns. */
export interface Referral {
  code: string
  source: 'registration'
  boundAt: Date
  expiresAt: Date
}

/**
 * Binds a new account to the affiliate of a code, for as many months as the affiliate's profile says. Null for a code
 * that is unknown or whose affiliate is not approved: a wrong code keeps nobody from registering.
 */
export const bindReferral = async (tx: Tx, { accountId, code }: { accountId: string; code: string }): Promise<Referral | null> =>
  await tx.maybe(statements.insertReferral({ accountId, code: code.trim(), source: 'registration', now: tx.now })) ?? null

/** Binds an account that came with the code of an affiliate. Subscribes to `account.created`. */
export async function bindReferralOfNewAccount(tx: Tx, { accountId, referralCode: code }: { accountId: string; referralCode?: string }): Promise<void> {
  if (code !== undefined) await bindReferral(tx, { accountId, code })
}

/** The answer's metadata about a referral (api.md, `svc_meta`). */
export const referralMeta = ({ code, source, boundAt, expiresAt }: Referral) => ({
  referral: { code, source, clickId: null, boundAt: boundAt.toISOString(), expiresAt: expiresAt.toISOString() },
})
