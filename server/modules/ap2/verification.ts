import { createHash } from 'node:crypto'
import { after, DAY, SECOND } from '#platform/clock'
import type { Tx } from '#platform/db'
import { transition } from '#platform/machine'
import type { Services } from '#platform/services'
import { lockDeal, type FundedDeal } from './deal.ts'
import { deliveryMachine } from './delivery-machine.ts'
import { inspectDelivery, type Finding } from './inspection.ts'
import { negotiationMachine } from './negotiation-machine.ts'
import { isLive, type DeliveryRow, type MilestoneRow, type Report } from './rows.ts'
import * as statements from './sql.ts'

/** After so long without a verdict, a verification is taken up again. */
export const VERIFY_AGAIN = 60 * SECOND
export const VERIFY_JOB = 'ap2.verify'

/** Looks at a delivery and records what it saw. Whoever records first decides; a second look changes nothing. */
export async function verifyDelivery(services: Services, deliveryId: string): Promise<DeliveryRow> {
  const { db } = services
  const delivery = await db.one(statements.deliveryById(deliveryId))
  if (delivery.status !== 'VERIFYING') return delivery
  const finding = await inspectDelivery(services, delivery)
  return db.transaction(tx => record(tx, delivery, finding))
}

async function record(tx: Tx, seen: DeliveryRow, { report, screenshot }: Finding): Promise<DeliveryRow> {
  const deal = await lockDeal(tx, seen.negotiation_id) as FundedDeal
  const delivery = await tx.one(statements.deliveryById(seen.id))
  if (delivery.status !== 'VERIFYING') return delivery
  const late = { ok: false, code: 'escrow_ended', reason: `the escrow is ${deal.escrow.status}` }
  const verdict: Omit<Report, 'checkedAt'> = isLive(deal.escrow) ? report : { ...report, ...late }
  if (screenshot) {
    await tx.run(statements.keepScreenshot(delivery.id, createHash('sha256').update(screenshot).digest('hex'), screenshot))
  }
  const moved = await transition(tx, deliveryMachine, delivery, {
    event: verdict.ok ? 'pass' : 'fail', by: 'verifier', details: { code: verdict.code, reason: verdict.reason },
    set: { verify_again_at: null, report: JSON.stringify({ ...verdict, checkedAt: tx.now.toISOString() }) },
  })
  if (verdict.ok) await accept(tx, deal, moved)
  else await tx.run(statements.update<MilestoneRow>('ap2_milestone', moved.milestone_id, { delivery_status: 'FAILED' }))
  return moved
}

const TRIES_MAX = 5

/** Timer: no verdict in time, as after a crash. Takes it up again as a job; after 5 tries it counts as failed. */
export async function verifyAgain(tx: Tx, jobs: Services['jobs'], deliveryId: string): Promise<void> {
  const delivery = await tx.one(statements.deliveryById(deliveryId))
  if (delivery.status !== 'VERIFYING' || !delivery.verify_again_at || delivery.verify_again_at > tx.now) return
  if (delivery.tries >= TRIES_MAX) {
    await record(tx, delivery, {
      report: {
        ok: false, code: 'gave_up', reason: `no verdict after ${TRIES_MAX} tries: send the delivery again`,
        verifier: 'none',
      },
      screenshot: null,
    })
    return
  }
  await tx.run(statements.update<DeliveryRow>('ap2_delivery', delivery.id, {
    tries: delivery.tries + 1, verify_again_at: after(tx.now, VERIFY_AGAIN),
  }))
  await jobs.enqueue(tx, VERIFY_JOB, { deliveryId })
}

/** The buyer's days to answer begin; while the escrow stands still, from the moment when it stopped. */
async function accept(tx: Tx, { negotiation, escrow, milestones }: FundedDeal, delivery: DeliveryRow): Promise<void> {
  const from = escrow.disputed_at ?? escrow.frozen_at ?? tx.now
  // The buyer may have paid it unverified meanwhile: then nothing waits for an answer.
  const paid = milestones.some(each => each.id === delivery.milestone_id && each.released === each.amount)
  await tx.run(statements.update<MilestoneRow>('ap2_milestone', delivery.milestone_id, {
    delivery_status: 'VERIFIED', verified_at: tx.now,
    auto_release_at: paid ? null : after(from, negotiation.auto_release_days * DAY),
  }))
  if (paid) return
  const event = negotiation.status === 'DELIVERED' ? 'deliver_milestone' : 'deliver'
  await transition(tx, negotiationMachine, negotiation, { event, by: 'seller', actorId: delivery.actor_id })
}
