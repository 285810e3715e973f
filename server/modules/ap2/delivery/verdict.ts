import { after, DAY } from '#platform/kernel/clock'
import { firstFailed } from '../criteria/result.ts'
import type { Deal } from '../deal/deal.ts'
import type { DealDraft } from '../deal/plan.ts'
import { isLive, type DeliveryRow, type Report } from '../deal/rows.ts'

/** Decides what a verdict on a delivery changes, and returns the delivery as it is afterwards. Pure. */
export function planVerdict(
  draft: DealDraft,
  delivery: DeliveryRow,
  report: Omit<Report, 'checkedAt'>,
): DeliveryRow {
  const { escrow } = draft.deal
  const late = { ok: false, code: 'escrow_ended', reason: `the escrow is ${escrow?.status}` }
  const verdict = escrow && isLive(escrow) ? withCriteria(report, delivery.criteria) : { ...report, ...late }
  const moved = draft.moveDelivery(delivery, {
    event: verdict.ok ? 'pass' : 'fail',
    by: 'verifier',
    details: { code: verdict.code, reason: verdict.reason },
    set: {
      verifyAgainAt: null,
      checkingSince: null,
      criteria: delivery.criteria,
      report: { ...verdict, checkedAt: draft.now.toISOString() },
    },
  })
  if (verdict.ok) accept(draft, moved)
  else draft.setMilestone(moved.milestoneId, { deliveryStatus: 'FAILED' })
  return moved
}

/** Work that is there and does not meet a criterion is not verified. */
function withCriteria(
  report: Omit<Report, 'checkedAt'>,
  criteria: DeliveryRow['criteria'],
): Omit<Report, 'checkedAt'> {
  const failed = report.ok ? firstFailed(criteria) : undefined
  if (!failed) return report
  const reason = `criterion "${failed.key}": ${failed.detail ?? 'not met'}`
  return { ...report, ok: false, code: 'criterion_failed', reason }
}

/** The buyer's days to respond begin; while the escrow is disputed or frozen, from the moment when that began. */
function accept(draft: DealDraft, delivery: DeliveryRow): void {
  const { negotiation, milestones } = draft.deal
  // The buyer may have paid it unverified meanwhile: then nothing waits for a response.
  const paid = milestones.some(each => each.id === delivery.milestoneId && each.released === each.amount)
  const autoReleaseAt = paid
    ? null
    : after(stoppedAt(draft.deal, draft.now), negotiation.autoReleaseDays * DAY)
  draft.setMilestone(delivery.milestoneId, {
    deliveryStatus: 'VERIFIED',
    verifiedAt: draft.now,
    autoReleaseAt,
  })
  if (paid) return
  const event = negotiation.status === 'DELIVERED' ? 'deliver_milestone' : 'deliver'
  draft.moveNegotiation({ event, by: 'seller', actorId: delivery.actorId, details: uncheckedOf(delivery) })
}

/** How many of how many criteria could not be checked; nothing if all could be. */
function uncheckedOf({ criteria }: DeliveryRow): { unchecked?: number; criteria?: number } {
  const unchecked = criteria?.filter(({ status }) => status === 'ERROR').length ?? 0
  return criteria && unchecked ? { unchecked, criteria: criteria.length } : {}
}

const stoppedAt = ({ escrow }: Deal, now: Date): Date => escrow?.disputedAt ?? escrow?.frozenAt ?? now
