import { DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import type { Dispute, Disputes } from '../dispute-port.ts'
import { PROCESSOR } from '../errors.ts'
import type { DisputeBody, Payment } from './objects.ts'
import { disputeOfPayment, dropTasks, insertObject, objectById, updateObject } from './sql.ts'
import type { Emit, Wire } from './wire.ts'

/** What the processor charges for a dispute. */
const FEE_CENTS = 1500
/** How long the holder of the money has to respond, and the bank to decide. Business time. */
const RESPOND_MS = 7 * DAY
const REVIEW_MS = 60 * DAY

/** Evidence with one of these texts decides the dispute at once, as in Stripe's test mode. */
const DECIDING: Record<string, 'won' | 'lost'> = { winning_evidence: 'won', losing_evidence: 'lost' }

export interface Opening {
  payment: Payment
  emit: Emit
  reason?: string
}

/** Takes the money of a payment back for its card holder. ApiError 409 if it is disputed already. */
export async function openDispute(
  wire: Wire,
  tx: Tx,
  { payment, emit, reason = 'fraudulent' }: Opening,
): Promise<DisputeBody> {
  if (await tx.maybe(disputeOfPayment(payment.id)))
    throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, { hint: 'the payment was disputed before' })
  const amount = payment.amount_received - (payment.amount_refunded ?? 0)
  if (amount <= 0)
    throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, { hint: 'the payment is refunded completely' })
  const due = Math.floor((tx.now.getTime() + RESPOND_MS) / 1000)
  const body: DisputeBody = {
    id: `du_${randomToken(18)}`,
    object: 'dispute',
    amount,
    currency: 'usd',
    charge: payment.latest_charge,
    payment_intent: payment.id,
    reason,
    status: 'needs_response',
    evidence_details: { due_by: due, has_evidence: false, submission_count: 0 },
    balance_transactions: [{ amount: -amount, fee: FEE_CENTS }],
    metadata: {},
  }
  const row = { id: body.id, kind: 'dispute' as const, key: payment.id, status: body.status, body }
  await tx.run(insertObject({ ...row, at: tx.now }))
  await tx.run(updateObject('payment_intent', payment.id, { body: { disputed: true } }))
  await wire.move(tx, {
    kind: 'dispute',
    sourceId: body.id,
    ourId: payment.metadata.paymentId ?? null,
    cents: -amount,
    feeCents: FEE_CENTS,
  })
  await wire.schedule(tx, body.id, { kind: 'dispute ends', ms: RESPOND_MS })
  await emit({ type: 'charge.dispute.created', object: { ...body } })
  return body
}

export interface Closing {
  disputeId: string
  state: 'won' | 'lost'
  emit: Emit
}

/** Ends a dispute: a won one brings the money back. ApiErrors: 404, 409 if it has ended the other way. */
export async function closeDispute(wire: Wire, tx: Tx, closing: Closing): Promise<DisputeBody> {
  const { disputeId, state, emit } = closing
  const { body } = await wire.lock(tx, 'dispute', disputeId)
  if (body.status === state) return body
  if (body.status === 'won' || body.status === 'lost')
    throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, { hint: `the dispute is ${body.status}` })
  await tx.run(dropTasks(disputeId))
  const back = { amount: body.amount, fee: 0 }
  const balance = [...body.balance_transactions, ...(state === 'won' ? [back] : [])]
  const change = { status: state, balance_transactions: balance }
  const { body: closed } = await tx.one(updateObject('dispute', disputeId, { status: state, body: change }))
  if (state === 'won') {
    const { body: payment } = await wire.lock(tx, 'payment_intent', body.payment_intent)
    await wire.move(tx, {
      kind: 'dispute_reversal',
      sourceId: disputeId,
      ourId: payment.metadata.paymentId ?? null,
      cents: body.amount,
      feeCents: 0,
    })
  }
  await emit({ type: 'charge.dispute.closed', object: { ...closed } })
  return closed
}

/** Task: nobody has responded in time, or the bank did not decide: the card holder keeps the money. */
export async function loseDispute(wire: Wire, tx: Tx, disputeId: string): Promise<void> {
  await closeDispute(wire, tx, { disputeId, state: 'lost', emit: wire.emitter(tx) })
}

export const sandboxDisputes = (wire: Wire): Disputes => ({
  read: disputeId =>
    wire.call(async () => {
      const found = await wire.context.db.maybe(objectById('dispute', disputeId))
      return found ? disputeOf(found.body) : null
    }),
  // Only that there is evidence is stored: its text may name people.
  submitEvidence: (disputeId, { text }) =>
    wire.change(async (tx, emit) => {
      const { body } = await wire.lock(tx, 'dispute', disputeId)
      if (body.status !== 'needs_response')
        throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, {
          hint: `the dispute is ${body.status}: evidence is accepted once, before it is due`,
        })
      await tx.run(dropTasks(disputeId))
      const { due_by } = body.evidence_details
      const { body: submitted } = await tx.one(
        updateObject('dispute', disputeId, {
          status: 'under_review',
          body: {
            status: 'under_review',
            evidence_details: { due_by, has_evidence: true, submission_count: 1 },
          },
        }),
      )
      await emit({ type: 'charge.dispute.updated', object: { ...submitted } })
      const state = DECIDING[text.trim()]
      if (state) await closeDispute(wire, tx, { disputeId, state, emit })
      else await wire.schedule(tx, disputeId, { kind: 'dispute ends', ms: REVIEW_MS })
    }),
})

export const disputeOf = (body: DisputeBody): Dispute => ({
  disputeId: body.id,
  processorId: body.payment_intent,
  cents: body.amount,
  currency: body.currency.toUpperCase(),
  feeCents: body.balance_transactions.reduce((sum, { fee }) => sum + fee, 0),
  reason: body.reason,
  state: body.status,
  respondBy: body.evidence_details.due_by === null ? null : new Date(body.evidence_details.due_by * 1000),
})
