import { createHash } from 'node:crypto'
import { after, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { writeTogether } from '#platform/kernel/sql'
import {
  deadlineOf,
  expireCheckers,
  firstFailed,
  isMachinePending,
  mergeResults,
  pendingCheckers,
} from '../criteria/result.ts'
import { lockFunded, type FundedDeal } from '../deal/deal.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import type { DeliveryRow, NegotiationRow } from '../deal/rows.ts'
import * as statements from '../deal/sql.ts'
import { inspectDelivery, type Finding } from './inspection.ts'
import { planVerdict } from './verdict.ts'

/** After so long without a verdict, a verification is taken up again. */
export const VERIFY_AGAIN = 60 * SECOND
export const VERIFY_JOB = 'ap2.verify'

type Parts = Pick<Services, 'jobs'>

/** Looks at a delivery and records what it saw. Whoever records first decides; a second look changes nothing. */
export async function verifyDelivery(services: Services, deliveryId: string): Promise<DeliveryRow> {
  const { db } = services
  const delivery = await db.one(statements.deliveryById(deliveryId))
  if (delivery.status !== 'VERIFYING') return delivery
  const finding = await inspectDelivery(services, delivery)
  return db.transaction(tx => record(tx, { seen: delivery, finding }))
}

async function record(
  tx: Tx,
  { seen, finding }: { seen: DeliveryRow; finding: Finding },
): Promise<DeliveryRow> {
  const { report, screenshot } = finding
  // The verdict counts whatever became of the deal meanwhile.
  const deal = await lockFunded(tx, seen.escrowId)
  const stored = await tx.one(statements.deliveryById(seen.id))
  if (stored.status !== 'VERIFYING') return stored
  if (screenshot) {
    const sha256 = createHash('sha256').update(screenshot).digest('hex')
    tx.write(statements.keepScreenshot(stored.id, sha256, screenshot))
  }
  const delivery = withResults(deal, stored, finding, tx.now)
  const isOpen = report.ok && !firstFailed(delivery.criteria) && delivery.criteria?.some(isMachinePending)
  if (isOpen && delivery.checkingSince)
    return waitForCheckers(tx, deal, { ...delivery, report: dated(report, tx.now) })
  const draft = new DealDraft(deal, tx.now)
  const moved = planVerdict(draft, delivery, report)
  tx.write(writeTogether(changesOf(draft)))
  return moved
}

const dated = (report: Finding['report'], now: Date) => ({ ...report, checkedAt: now.toISOString() })

/** The delivery with what both looks decided, and with an ERROR for each checker whose time has passed. */
function withResults(deal: FundedDeal, stored: DeliveryRow, finding: Finding, now: Date): DeliveryRow {
  const checkingSince = stored.checkingSince ?? finding.checkingSince
  const merged = mergeResults(stored.criteria, finding.criteria)
  const criteria =
    merged && checkingSince
      ? expireCheckers(deal.negotiation.acceptance, merged, { since: checkingSince, now })
      : merged
  return { ...stored, criteria, checkingSince }
}

const [ASK_AGAIN_MIN, ASK_AGAIN_MAX] = [2 * SECOND, 5 * MINUTE]

/** A checker is asked again after half of the time that it has had so far, and its time ends with its deadline. */
function waitForCheckers(tx: Tx, { negotiation }: FundedDeal, delivery: DeliveryRow): DeliveryRow {
  const { id, criteria, checkingSince, report } = delivery
  const since = checkingSince ?? tx.now
  const pause = Math.min(Math.max((tx.now.getTime() - since.getTime()) / 2, ASK_AGAIN_MIN), ASK_AGAIN_MAX)
  const verifyAgainAt = beforeDeadlines(after(tx.now, pause), negotiation.acceptance, { criteria, since })
  const fields = { criteria, checkingSince: since, report, verifyAgainAt, updatedAt: tx.now }
  tx.write(writeTogether({ updates: [statements.updateRow('ap2_delivery', id, fields)] }))
  return { ...delivery, ...fields }
}

/** `moment`, or the first deadline of a checker that did not answer yet. */
function beforeDeadlines(
  moment: Date,
  acceptance: NegotiationRow['acceptance'],
  { criteria, since }: { criteria: DeliveryRow['criteria']; since: Date },
): Date {
  const deadlines = pendingCheckers(acceptance, criteria).map(each => deadlineOf(each, since))
  return new Date(Math.min(...[moment, ...deadlines].map(Number)))
}

const TRIES_MAX = 5

/**
 * Timer: no verdict in time, as after a crash, or a checker that is asked again. Takes it up again as a job; after 5 tries
 * it counts as failed. A checker whose time has passed is waited for no longer.
 */
export async function verifyAgain(tx: Tx, parts: Parts, deliveryId: string): Promise<void> {
  const delivery = await tx.one(statements.deliveryById(deliveryId))
  if (delivery.status !== 'VERIFYING' || !delivery.verifyAgainAt || delivery.verifyAgainAt > tx.now) return
  const { report, criteria, checkingSince, tries } = delivery
  let verifyAgainAt = after(tx.now, VERIFY_AGAIN)
  if (checkingSince && report) {
    const deal = await lockFunded(tx, delivery.escrowId)
    const results = expireCheckers(deal.negotiation.acceptance, criteria ?? [], {
      since: checkingSince,
      now: tx.now,
    })
    if (!results.some(isMachinePending)) {
      const finding = { report, screenshot: null, criteria: results, checkingSince }
      await record(tx, { seen: delivery, finding })
      return
    }
    const asked = { criteria: results, since: checkingSince }
    verifyAgainAt = beforeDeadlines(verifyAgainAt, deal.negotiation.acceptance, asked)
  } else if (tries >= TRIES_MAX) {
    await record(tx, { seen: delivery, finding: GAVE_UP })
    return
  }
  const again = { tries: tries + 1, verifyAgainAt }
  tx.write(writeTogether({ updates: [statements.updateRow('ap2_delivery', delivery.id, again)] }))
  await parts.jobs.enqueue(tx, VERIFY_JOB, { deliveryId })
}

const GAVE_UP: Finding = {
  report: {
    ok: false,
    code: 'gave_up',
    reason: `no verdict after ${TRIES_MAX} tries: send the delivery again`,
    verifier: 'none',
  },
  screenshot: null,
  criteria: null,
  checkingSince: null,
}
