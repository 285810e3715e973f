import { accountById, requireStepUp } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, pageOf, TOTAL_CAP } from '#platform/http/schema'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { ratesOfTier } from '../commission/plan.ts'
import { AFFILIATES } from '../errors.ts'
import * as statements from '../sql.ts'
import { profileMachine, type ProfileEvent, type ProfileStatus } from './profile-machine.ts'
import type { AffiliateProfile } from './profile.ts'

/** 403 for an admin who decides about what they earn themselves. */
export function requireOther(
  { principal }: RequestContext,
  profile: Pick<AffiliateProfile, 'accountId'>,
): void {
  if (profile.accountId === principal.accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'An operator cannot decide about their own affiliate profile' })
}

/**
 * The change that an admin makes to the state of a profile, with an audit line. Errors: 403 for the caller's profile, 409 where
 * it is not allowed.
 */
async function change(
  tx: Tx,
  ctx: RequestContext,
  { id, event, reason }: { id: string; event: ProfileEvent; reason?: string },
): Promise<AffiliateProfile> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const profile = await lockKnown(tx, id)
  requireOther(ctx, profile)
  await transition(tx, profileMachine, profile, {
    event,
    by: 'admin',
    actorId: ctx.principal.accountId,
    set: reason === undefined ? {} : { reviewReason: reason, reviewedBy: ctx.principal.accountId },
  })
  await audit(tx, ctx, `affiliate.${event}`, { target: ['affiliate', id] })
  return tx.one(statements.profileById(id))
}

export const reviewAffiliate = (
  tx: Tx,
  ctx: RequestContext,
  { id, decision, reason }: { id: string; decision: 'approve' | 'reject'; reason?: string },
): Promise<AffiliateProfile> => change(tx, ctx, { id, event: decision, reason })

export const suspendAffiliate = (
  tx: Tx,
  ctx: RequestContext,
  { id, reason }: { id: string; reason?: string },
): Promise<AffiliateProfile> => change(tx, ctx, { id, event: 'suspend', reason })

/** Also 409 for the profile of a deleted account: nobody could be paid what it would earn. */
export async function reactivateAffiliate(
  tx: Tx,
  ctx: RequestContext,
  id: string,
): Promise<AffiliateProfile> {
  const profile = await change(tx, ctx, { id, event: 'reactivate' })
  if ((await accountById(tx, profile.accountId))?.status === 'DELETED')
    throw apiError(
      { ...COMMON.STATE_CONFLICT, message: 'Cannot reactivate while DELETED' },
      { hint: 'The account of the affiliate has been deleted' },
    )
  return profile
}

export interface Plan {
  rateBps?: number
  months?: number
  /** null for that of the tier. */
  level2Bps?: number | null
  holdDays?: number
  /** Ends the rates that an admin set: those of the tier count again. */
  customPlan?: false
}

/**
 * Sets the plan of one affiliate. It counts for referrals and deals from now on. Errors: 400 for a rate together with
 * `customPlan: false`, 403 for the caller's profile.
 */
export async function setCommissionPlan(
  tx: Tx,
  ctx: RequestContext,
  { id, plan }: { id: string; plan: Plan },
): Promise<AffiliateProfile> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const profile = await lockKnown(tx, id)
  requireOther(ctx, profile)
  await tx.run(
    statements.setPlan(id, {
      ...ratesOf(profile, plan),
      months: plan.months ?? profile.months,
      holdDays: plan.holdDays ?? profile.holdDays,
      now: tx.now,
    }),
  )
  await audit(tx, ctx, 'affiliate.plan_changed', { target: ['affiliate', id], details: { ...plan } })
  return tx.one(statements.profileById(id))
}

/** A rate that the plan sets ends the rates of the tier, `customPlan: false` restores them. */
function ratesOf(
  profile: AffiliateProfile,
  plan: Plan,
): Pick<AffiliateProfile, 'rateBps' | 'level2Bps' | 'customPlan'> {
  const { rateBps = profile.rateBps, level2Bps = profile.level2Bps } = plan
  const setsRate = plan.rateBps !== undefined || typeof plan.level2Bps === 'number'
  if (plan.customPlan === undefined) return { rateBps, level2Bps, customPlan: profile.customPlan || setsRate }
  if (setsRate) throw invalid('customPlan: false restores the rates of the tier, so it excludes a rate')
  return { ...ratesOfTier(profile.tier), customPlan: false }
}

export async function listAffiliates(
  q: Queryable,
  { status, ...query }: { status?: ProfileStatus; limit?: number; offset?: number },
) {
  const page = pageOf(query)
  const profiles = await q.rows(statements.profilesWith(status ?? null, page))
  const { counted } = await q.one(statements.countProfilesWith(status ?? null, TOTAL_CAP + 1))
  return pageAnswer(profiles, counted, page)
}

export async function knownAffiliate(q: Queryable, id: string): Promise<AffiliateProfile> {
  const profile = isId(id) ? await q.maybe(statements.profileById(id)) : undefined
  if (!profile) throw apiError(AFFILIATES.AFFILIATE_NOT_FOUND)
  return profile
}

async function lockKnown(tx: Tx, id: string): Promise<AffiliateProfile> {
  const profile = isId(id) ? await tx.maybe(statements.lockProfile(id)) : undefined
  if (!profile) throw apiError(AFFILIATES.AFFILIATE_NOT_FOUND)
  return profile
}
