import { requireStepUp } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, pageOf, TOTAL_CAP } from '#platform/http/schema'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { AFFILIATES } from '../errors.ts'
import * as statements from '../sql.ts'
import { profileMachine, type ProfileEvent, type ProfileStatus } from './profile-machine.ts'
import type { AffiliateProfile } from './profile.ts'

/** The change that an admin makes to the state of a profile, with an audit line; 409 where it is not allowed. */
async function change(
  tx: Tx,
  ctx: RequestContext,
  { id, event, reason }: { id: string; event: ProfileEvent; reason?: string },
): Promise<AffiliateProfile> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const profile = await lockKnown(tx, id)
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

export const reactivateAffiliate = (tx: Tx, ctx: RequestContext, id: string): Promise<AffiliateProfile> =>
  change(tx, ctx, { id, event: 'reactivate' })

export interface Plan {
  rateBps?: number
  months?: number
  level2Bps?: number
  holdDays?: number
}

/** Sets the plan of one affiliate. It counts for referrals and deals from now on. */
export async function setCommissionPlan(
  tx: Tx,
  ctx: RequestContext,
  { id, plan }: { id: string; plan: Plan },
): Promise<AffiliateProfile> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const profile = await lockKnown(tx, id)
  await tx.run(
    statements.setPlan(id, {
      rateBps: plan.rateBps ?? profile.rateBps,
      months: plan.months ?? profile.months,
      level2Bps: plan.level2Bps ?? profile.level2Bps,
      holdDays: plan.holdDays ?? profile.holdDays,
      customPlan: profile.customPlan || plan.rateBps !== undefined,
      now: tx.now,
    }),
  )
  await audit(tx, ctx, 'affiliate.plan_changed', { target: ['affiliate', id], details: { ...plan } })
  return tx.one(statements.profileById(id))
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
