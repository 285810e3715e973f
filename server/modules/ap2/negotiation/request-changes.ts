import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { writeTogether } from '#platform/kernel/sql'
import {
  actorIdOf,
  awaitingBuyer,
  lockFunded,
  milestoneOf,
  requireHeld,
  requireParty,
  type FundedDeal,
} from '../deal/deal.ts'
import { requireKnownKeys } from '../criteria/weights.ts'
import type { CriterionResult } from '../criteria/result.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import { AP2, cannot } from '../errors.ts'

export const CHANGES_MAX = 3
const TIME_TO_CHANGE = 7 * DAY

interface Changes {
  reason: string
  criteria?: string[]
  milestoneKey?: string
}

/** The buyer sends a verified delivery back: its release timer stops, and the seller has at least 7 more days. */
export async function requestChanges(
  tx: Tx,
  ctx: RequestContext,
  escrowId: string,
  input: Changes,
): Promise<FundedDeal> {
  const deal = await lockFunded(tx, escrowId)
  requireParty(ctx, deal, 'buyer')
  requireHeld(deal, 'request changes')
  const draft = planChanges(deal, input, actorIdOf(ctx), tx.now)
  tx.write(writeTogether(changesOf(draft)))
  return draft.fundedDeal
}

/** Decides which deliveries are superseded. Pure. */
export function planChanges(deal: FundedDeal, input: Changes, actorId: string, now: Date): DealDraft {
  const { negotiation, escrow, milestones, deliveries } = deal
  if (negotiation.status !== 'DELIVERED') throw cannot('request changes', negotiation.status)
  if (escrow.changesRequested >= CHANGES_MAX)
    throw apiError(AP2.CHANGES_EXHAUSTED, {
      hint: `At most ${CHANGES_MAX} requests are allowed: release, or open a dispute`,
    })
  const waiting = awaitingBuyer(milestones)
  const named = input.milestoneKey === undefined ? null : milestoneOf(deal, input.milestoneKey)
  const targets = named ? waiting.filter(each => each === named) : waiting
  if (!targets.length)
    throw cannot('request changes', 'NOT VERIFIED', 'this milestone has no verified delivery')
  const draft = new DealDraft(deal, now)
  const keys = requireKnownKeys(negotiation.acceptance, input.criteria, 'criteria')
  const details = { reason: input.reason, ...(keys ? { criteria: keys } : {}) }
  const by = { by: 'buyer', actorId, details } as const
  for (const delivery of deliveries)
    if (delivery.status === 'VERIFIED' && targets.some(({ id }) => id === delivery.milestoneId))
      draft.moveDelivery(delivery, {
        event: 'supersede',
        ...by,
        set: { criteria: judged(delivery.criteria, keys ?? [], now) },
      })
  for (const { id } of targets)
    draft.setMilestone(id, { deliveryStatus: 'SUPERSEDED', verifiedAt: null, autoReleaseAt: null })
  const earliest = after(now, TIME_TO_CHANGE)
  draft.setEscrow({
    changesRequested: escrow.changesRequested + 1,
    deliverBy: escrow.deliverBy > earliest ? escrow.deliverBy : earliest,
    updatedAt: now,
  })
  if (targets.length === waiting.length) draft.moveNegotiation({ event: 'request_changes', ...by })
  return draft
}

/** The buyer judges rubrics; what the service checked stays as it was found. */
const judged = (
  results: CriterionResult[] | null,
  failed: readonly string[],
  now: Date,
): CriterionResult[] | null =>
  results?.map(result =>
    result.kind === 'rubric' && failed.includes(result.key)
      ? { ...result, status: 'FAILED', detail: 'the buyer requested changes', checkedAt: now.toISOString() }
      : result,
  ) ?? null
