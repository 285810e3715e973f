import type { Services } from '#platform/services'
import { after } from '#platform/clock'
import type { Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { transition } from '#platform/machine'
import { verificationFailed } from './acceptance.ts'
import { actorIdOf, demandSide, lockDeal, type Deal, type FundedDeal } from './deal.ts'
import { deliveryMachine } from './delivery-machine.ts'
import { AP2, cannot } from './faults.ts'
import { demandHeld } from './negotiation.ts'
import { negotiationMachine } from './negotiation-machine.ts'
import { milestoneOf } from './release.ts'
import type { Artifact, DeliveryRow, MilestoneRow } from './rows.ts'
import * as statements from './sql.ts'
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

/**
 * The seller delivers: the attempt is kept first, then looked at from outside any transaction, then recorded.
 * 400 `Verification failed` with the reason in `details`; the delivery can be sent again. Called again with the same
 * `deliveryId`, as after a crash, it continues that attempt and makes no other.
 */
export async function deliver(services: Services, actor: Actor, { deliveryId, ...input }: DeliverInput & { deliveryId: string }): Promise<DeliveryRow> {
  const attempt = await services.db.transaction(tx => submit(tx, actor, input, deliveryId))
  const delivery = await verifyDelivery(services, attempt.id)
  if (delivery.status === 'FAILED' && delivery.report) {
    if (delivery.report.code === 'unavailable') throw fault(COMMON.UNAVAILABLE, {
      hint: 'The verifier is busy: send the delivery again', headers: { 'Retry-After': '5' },
    })
    throw verificationFailed(delivery.report, delivery.id)
  }
  return delivery
}

async function submit(tx: Tx, actor: Actor, input: DeliverInput, deliveryId: string): Promise<DeliveryRow> {
  const deal = await lockDeal(tx, input.negotiationId)
  demandSide(actor, deal, 'seller')
  const earlier = await tx.maybe(statements.deliveryById(deliveryId))
  // One that the verifier was too busy for is an attempt that may be made again.
  if (earlier && earlier.report?.code !== 'unavailable') return earlier
  demandHeld(deal, 'deliver')
  demandSomething(input)
  const milestone = target(deal, input.milestoneKey)
  const move = { by: 'seller', actorId: actorIdOf(actor) } as const
  if (deal.negotiation.status === 'ESCROWED') await transition(tx, negotiationMachine, deal.negotiation, {
    event: 'start', ...move,
  })
  const { attempts } = await tx.one(statements.countAttempts(deal.escrow.id))
  if (attempts >= ATTEMPTS_MAX) throw fault(AP2.ATTEMPTS_EXHAUSTED, {
    hint: `At most ${ATTEMPTS_MAX} attempts are allowed: agree on a refund, or open a dispute`,
  })
  await tx.run(statements.update<MilestoneRow>('ap2_milestone', milestone.id, { delivery_status: 'VERIFYING' }))
  const delivery = await tx.one(statements.insert<DeliveryRow>('ap2_delivery', {
    id: earlier ? newId() : deliveryId, negotiation_id: deal.negotiation.id, escrow_id: deal.escrow.id, milestone_id: milestone.id,
    attempt: attempts + 1, status: 'SUBMITTED',
    actor_id: actorIdOf(actor), result: input.result ?? null, deliverable_url: input.deliverableUrl ?? null,
    artifacts: input.artifacts ?? null,
    evidence: input.evidence ?? null, notes: input.notes ?? null, hints: input.verificationHints ?? null,
    verify_again_at: after(tx.now, VERIFY_AGAIN), created_at: tx.now, updated_at: tx.now,
  }))
  return transition(tx, deliveryMachine, delivery, { event: 'verify', by: 'verifier', set: { tries: 1 } })
}

function demandSomething({ result, deliverableUrl, artifacts }: DeliverInput): void {
  if ((result === undefined || result === null || result === '') && deliverableUrl === undefined && !artifacts?.length) {
    throw invalid('nothing is delivered: send a result, a deliverableUrl or artifacts')
  }
  const urls = (artifacts ?? []).filter(({ url }) => url !== undefined).length + (deliverableUrl === undefined ? 0 : 1)
  if (urls > URLS_MAX) throw invalid(`a delivery must have at most ${URLS_MAX} URLs`)
}

/** The milestone that this delivers; the only open one where none is named. */
function target(deal: Deal, key: string | undefined): MilestoneRow {
  const { negotiation, milestones } = deal as FundedDeal
  const agreed = negotiation.milestones !== null
  const open = milestones.filter(each => each.released < each.amount && each.delivery_status !== 'VERIFIED')
  const chosen = key === undefined ? open[0] : milestoneOf(agreed, milestones, key)
  if (!chosen || !open.includes(chosen)) throw cannot('deliver', negotiation.status, 'it is delivered and verified')
  if (key === undefined && open.length > 1) {
    throw invalid(`milestoneKey is required: one of ${open.map(each => each.key).join(', ')}`)
  }
  if (chosen.delivery_status === 'VERIFYING') throw fault(AP2.DELIVERY_UNDER_WAY, {
    hint: 'The last delivery is still being verified',
  })
  return chosen
}
