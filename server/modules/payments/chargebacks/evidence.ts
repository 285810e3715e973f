import { requireStepUp } from '#identity'
import { audit } from '#platform/kernel/audit'
import { after, MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { ApiError, apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { PAYMENTS } from '../errors.ts'
import { answered, processorOf } from '../processor.ts'
import { NoAnswer } from '../processors/port.ts'
import { followDispute } from './follow.ts'
import { chargebackView } from './view.ts'
import * as statements from './sql.ts'
import type { Chargeback } from './sql.ts'

/** How long one caller has for handing in evidence before another may try. */
const LEASE = MINUTE

/**
 * Hands in the evidence of a chargeback, which the processor takes once. ApiErrors: 404; 403 without a fresh proof; 409
 * if it was handed in, is being handed in or comes too late; 503 without an answer, after which it can be repeated.
 */
export async function submitEvidence(
  services: Services,
  ctx: RequestContext,
  { id, text }: { id: string; text: string },
) {
  const { db } = services
  const row = await db.transaction(tx => begin(tx, ctx, id))
  try {
    await answered(processorOf(services).disputes.submitEvidence(row.disputeId, { text }))
  } catch (error) {
    await endWithout(services, row, error)
  }
  await db.run(statements.endEvidence(id, services.clock.now()))
  await followDispute(services, row.disputeId).catch(unlessUnanswered)
  return db.snapshot(q => chargebackView(q, id))
}

async function begin(tx: Tx, ctx: RequestContext, id: string): Promise<Chargeback> {
  await requireStepUp(tx, ctx, tx.clock.real())
  const row = isId(id) ? await tx.maybe(statements.chargebackById(id)) : undefined
  if (!row) throw apiError(PAYMENTS.CHARGEBACK_NOT_FOUND)
  const begun = await tx.maybe(statements.beginEvidence(id, tx.now, after(tx.now, -LEASE)))
  if (!begun)
    throw apiError(PAYMENTS.EVIDENCE_SUBMITTED, {
      hint: 'Evidence can be submitted once, while the status is NEEDS_RESPONSE: read the chargeback again',
      details: { status: row.status },
    })
  await audit(tx, ctx, 'chargeback.evidence_submitted', {
    target: ['payment', row.paymentId],
    details: { chargebackId: id, disputeId: row.disputeId },
  })
  return begun
}

/** Nothing was handed in, or nobody knows: the state of the dispute shows it. */
async function endWithout(services: Services, row: Chargeback, error: unknown): Promise<void> {
  const { db } = services
  await followDispute(services, row.disputeId).catch(unlessUnanswered)
  const now = await db.one(statements.chargebackById(row.id))
  if (now.status === 'UNDER_REVIEW') return
  await db.run(statements.endEvidence(row.id, null))
  if (error instanceof NoAnswer)
    throw apiError(PAYMENTS.PROCESSOR_UNAVAILABLE, { hint: 'The evidence did not arrive: submit it again' })
  if (error instanceof ApiError && error.row.status < 500)
    throw apiError(PAYMENTS.EVIDENCE_SUBMITTED, {
      hint: 'The processor does not take evidence for this dispute any more',
      details: { status: now.status },
    })
  throw error
}

function unlessUnanswered(error: unknown): void {
  if (!(error instanceof NoAnswer)) throw error
}
