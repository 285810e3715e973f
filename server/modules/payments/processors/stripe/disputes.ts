import { SECOND } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import type { Dispute, Disputes } from '../dispute-port.ts'
import { PROCESSOR } from '../errors.ts'
import { idOf, type StripeClient } from './client.ts'

/** Inquiries (`warning_...`) and prevented disputes moved no money. */
const STATES: Record<string, Dispute['state']> = {
  needs_response: 'needs_response',
  under_review: 'under_review',
  won: 'won',
  lost: 'lost',
}

export function stripeDisputes(client: StripeClient): Disputes {
  const read = async (disputeId: string): Promise<Dispute | null> => {
    const found = await client.find(stripe => stripe.disputes.retrieve(disputeId))
    const state = found && STATES[found.status]
    const processorId = idOf(found?.payment_intent)
    if (!state || !processorId) return null
    const due = found.evidence_details.due_by
    return {
      disputeId: found.id,
      processorId,
      cents: found.amount,
      currency: found.currency.toUpperCase(),
      feeCents: found.balance_transactions.reduce((sum, { fee }) => sum + fee, 0),
      reason: found.reason,
      state,
      respondBy: due ? new Date(due * SECOND) : null,
    }
  }
  const submitEvidence: Disputes['submitEvidence'] = async (disputeId, { text, files = [] }) => {
    const dispute = await read(disputeId)
    if (!dispute)
      throw apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, { hint: `there is no dispute ${disputeId}` })
    if (dispute.state !== 'needs_response')
      throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, {
        hint: `the dispute is ${dispute.state}: evidence is accepted once, before it is due`,
      })
    const [file] = files
    await client.ask(stripe =>
      stripe.disputes.update(
        disputeId,
        {
          evidence: { uncategorized_text: text, ...(file ? { uncategorized_file: file } : {}) },
          submit: true,
        },
        { idempotencyKey: `${disputeId}/evidence` },
      ),
    )
  }
  return { read, submitEvidence }
}
