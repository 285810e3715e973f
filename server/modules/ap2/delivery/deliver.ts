import type { Services } from '#platform/kernel/services'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { writeTogether } from '#platform/kernel/sql'
import { pendingResults } from '../criteria/result.ts'
import { verificationFailed } from '../deal/acceptance.ts'
import { actorIdOf, lockDeal, milestoneOf, requireHeld, requireParty, type Deal } from '../deal/deal.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import type { Artifact, DeliveryRow, MilestoneRow } from '../deal/rows.ts'
import * as statements from '../deal/sql.ts'
import { AP2, cannot } from '../errors.ts'
import { ACCEPTED_AS_DELIVERED, needsInspection } from './inspection.ts'
import { planVerdict } from './verdict.ts'
import { withVaultArtifacts } from './vault.ts'
import { VERIFY_AGAIN, verifyDelivery } from './verification.ts'

export interface DeliverInput {
  negotiationId: string
  result?: unknown
  deliverableUrl?: string
  artifacts?: Artifact[]
  evidence?: unknown
  notes?: string
  milestoneKey?: string
  verificationHints?: { url?: string; expectText?: string }
}

const ATTEMPTS_MAX = 100
/** Of a delivery, deliverableUrl included. */
const URLS_MAX = 10

/** A delivery that is stored, with its deal. Without a report it still has to be inspected. */
export interface Submission {
  deal: Deal
  delivery: DeliveryRow
}

/**
 * The seller delivers: the attempt is stored. What needs no look outside is verified at once; anything else is inspected
 * after the commit by `verifySubmission`. Called again with the same `deliveryId`, as after a crash, it continues that
 * attempt and makes no other.
 */
export async function submitDelivery(
  tx: Tx,
  ctx: RequestContext,
  input: DeliverInput,
  deliveryId: string,
): Promise<Submission> {
  const deal = await lockDeal(tx, input.negotiationId)
  requireParty(ctx, deal, 'seller')
  const earlier = deal.deliveries.find(({ id }) => id === deliveryId)
  // One that the verifier was too busy for is an attempt that may be made again.
  if (earlier && earlier.report?.code !== 'unavailable')
    return { deal, delivery: await tx.one(statements.deliveryById(deliveryId)) }
  const id = earlier ? newId() : deliveryId
  const artifacts = await withVaultArtifacts(tx, ctx, { artifacts: input.artifacts, deliveryId: id })
  const { draft, delivery } = planDelivery(deal, artifacts ? { ...input, artifacts } : input, {
    id,
    actorId: actorIdOf(ctx),
    now: tx.now,
  })
  tx.write(writeTogether(changesOf(draft)))
  return { deal: draft.deal, delivery }
}

/**
 * Inspects a delivery outside any transaction and records what was seen. 400 `Verification failed` with the reason in
 * `details`; the delivery can be sent again.
 */
export async function verifySubmission(services: Services, deliveryId: string): Promise<DeliveryRow> {
  const delivery = await verifyDelivery(services, deliveryId)
  if (delivery.status === 'FAILED' && delivery.report) {
    if (delivery.report.code === 'unavailable')
      throw apiError(COMMON.UNAVAILABLE, {
        hint: 'The verifier is busy: send the delivery again',
        headers: { 'Retry-After': '5' },
      })
    throw verificationFailed(delivery.report, delivery)
  }
  return delivery
}

/** Decides what a delivery changes. Pure. */
export function planDelivery(
  deal: Deal,
  input: DeliverInput,
  { id, actorId, now }: { id: string; actorId: string; now: Date },
): { draft: DealDraft; delivery: DeliveryRow } {
  requireHeld(deal, 'deliver')
  requireDeliverable(input)
  const milestone = targetOf(deal, input.milestoneKey)
  const attempts = deal.deliveries.length
  const draft = new DealDraft(deal, now)
  if (deal.negotiation.status === 'ESCROWED') draft.moveNegotiation({ event: 'start', by: 'seller', actorId })
  if (attempts >= ATTEMPTS_MAX)
    throw apiError(AP2.ATTEMPTS_EXHAUSTED, {
      hint: `At most ${ATTEMPTS_MAX} attempts are allowed: agree on a refund, or open a dispute`,
    })
  const row: DeliveryRow = {
    id,
    negotiationId: deal.negotiation.id,
    escrowId: deal.escrow.id,
    milestoneId: milestone.id,
    attempt: attempts + 1,
    status: 'SUBMITTED',
    actorId,
    result: input.result ?? null,
    deliverableUrl: input.deliverableUrl ?? null,
    artifacts: input.artifacts ?? null,
    evidence: input.evidence ?? null,
    notes: input.notes ?? null,
    hints: input.verificationHints ?? null,
    report: null,
    criteria: pendingResults(deal.negotiation.acceptance, milestone.key),
    checkingSince: null,
    tries: 0,
    verifyAgainAt: after(now, VERIFY_AGAIN),
    createdAt: now,
    updatedAt: now,
  }
  draft.addDelivery(row)
  draft.setMilestone(milestone.id, { deliveryStatus: 'VERIFYING' })
  const verifying = draft.moveDelivery(row, { event: 'verify', by: 'verifier', set: { tries: 1 } })
  if (needsInspection(deal.negotiation, verifying)) return { draft, delivery: verifying }
  return { draft, delivery: planVerdict(draft, verifying, ACCEPTED_AS_DELIVERED) }
}

function requireDeliverable({ result, deliverableUrl, artifacts }: DeliverInput): void {
  if (
    (result === undefined || result === null || result === '') &&
    deliverableUrl === undefined &&
    !artifacts?.length
  ) {
    throw invalid('nothing is delivered: send a result, a deliverableUrl or artifacts')
  }
  const urls =
    (artifacts ?? []).filter(({ url }) => url !== undefined).length + (deliverableUrl === undefined ? 0 : 1)
  if (urls > URLS_MAX) throw invalid(`a delivery must have at most ${URLS_MAX} URLs`)
}

/** The milestone that this delivers; the only open one where none is named. */
function targetOf(deal: Deal, key: string | undefined): MilestoneRow {
  const { negotiation, milestones } = deal
  const open = milestones.filter(each => each.released < each.amount && each.deliveryStatus !== 'VERIFIED')
  const chosen = key === undefined ? open[0] : milestoneOf(deal, key)
  if (!chosen || !open.includes(chosen))
    throw cannot('deliver', negotiation.status, 'it is delivered and verified')
  if (key === undefined && open.length > 1) {
    throw invalid(`milestoneKey is required: one of ${open.map(each => each.key).join(', ')}`)
  }
  if (chosen.deliveryStatus === 'VERIFYING')
    throw apiError(AP2.DELIVERY_UNDER_WAY, {
      hint: 'The last delivery is still being verified',
    })
  return chosen
}
