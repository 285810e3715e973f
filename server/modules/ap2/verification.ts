import { createHash } from 'node:crypto'
import { after, DAY, SECOND } from '#platform/clock'
import type { Tx } from '#platform/db'
import { transition } from '#platform/machine'
import { QueueFull } from '#platform/fair-queue'
import type { Services } from '#platform/services'
import { lockDeal, readDeal, type FundedDeal } from './deal.ts'
import { deliveryMachine } from './delivery-machine.ts'
import { negotiationMachine } from './negotiation-machine.ts'
import { isLive, type DeliveryRow, type MilestoneRow, type NegotiationRow, type Report } from './rows.ts'
import * as statements from './sql.ts'

/** After so long without a verdict, a verification is taken up again. */
export const VERIFY_AGAIN = 60 * SECOND
export const VERIFY_JOB = 'ap2.verify'

interface Finding { report: Omit<Report, 'checkedAt'>; screenshot: Buffer | null }

/** Looks at a delivery and records what it saw. Whoever records first decides; a second look changes nothing. */
export async function verifyDelivery(services: Services, deliveryId: string): Promise<DeliveryRow> {
  const { db } = services
  const delivery = await db.one(statements.deliveryById(deliveryId))
  if (delivery.status !== 'VERIFYING') return delivery
  const finding = await examine(services, delivery)
  return db.transaction(tx => record(tx, delivery, finding))
}

async function examine(services: Services, delivery: DeliveryRow): Promise<Finding> {
  const { negotiation } = await readDeal(services.db, delivery.negotiation_id, services.clock.now())
  const value = delivery.result ?? delivery.artifacts
  if (negotiation.acceptance_schema && value !== null) {
    const answer = await fits(services, negotiation, value)
    if (!answer.ok) return { report: { ...answer, verifier: 'schema' }, screenshot: null }
  }
  // The seller writes the hints: they never stand in for the page that it delivers.
  const url = delivery.deliverable_url ?? delivery.hints?.url
  if (url !== null && url !== undefined) return openPage(services, url, { expectText: delivery.hints?.expectText, accountId: negotiation.seller_account_id })
  return {
    report: {
      ok: true, code: 'ok', reason: negotiation.acceptance_schema ? 'fits the agreed schema' : 'kept as delivered',
      verifier: 'schema',
    },
    screenshot: null,
  }
}

/** Whether the value fits the agreed schema. */
async function fits({ schemas }: Services, { acceptance_schema: schema, seller_account_id: account }: NegotiationRow, value: unknown) {
  try {
    return await schemas.check(account, { type: 'value', schema: schema ?? {}, value })
  } catch (error) {
    if (error instanceof QueueFull) return { ok: false, code: 'unavailable', reason: 'too many deliveries of this account are being checked' }
    throw error
  }
}

async function openPage({ verifier }: Services, url: string, how: { expectText?: string; accountId: string }): Promise<Finding> {
  const { screenshot, checkedAt: _, ...report } = await verifier.check(url, how)
  return { report: { ...report, reason: report.reason ?? 'the page is there' }, screenshot }
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
