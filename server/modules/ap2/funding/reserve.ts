import { chargeBudget } from '#budgets'
import { accounts } from '#ledger'
import type { Tx } from '#platform/kernel/db'
import type { RequestContext } from '#platform/http/principal'
import { writeTogether } from '#platform/kernel/sql'
import { readFunded } from '../deal/deal.ts'
import { changesOf } from '../deal/plan.ts'
import * as statements from '../deal/sql.ts'
import type { Rules } from '../deal/tier.ts'
import { cannot } from '../errors.ts'
import { planReservation, type Reservation } from '../escrow/hold-plan.ts'
import { acceptedPayment, fundingOf, type InitiateInput } from '../escrow/initiate.ts'
import { railOf, type PaymentMethod } from './rails.ts'

interface How extends Reservation {
  rules: Rules
  method: PaymentMethod
}

/**
 * The escrow that a request has reserved already, so that it continues; null if there is none that may still be paid. 409 if
 * the deal was canceled meanwhile: the request must not open another one.
 */
export async function reservedByRequest(tx: Tx, requestId: string): Promise<string | null> {
  const earlier = await tx.maybe(statements.escrowOfRequest(requestId))
  if (!earlier) return null
  if (earlier.status !== 'CANCELLED') return earlier.id
  const { negotiation } = await readFunded(tx, earlier.id)
  if (negotiation.status === 'CANCELLED')
    throw cannot('fund', 'CANCELLED', 'The deal of this request was canceled: make a new one')
  return null
}

/**
 * Reserves the escrow of an accepted negotiation, whose funds come by a rail: PENDING_FUNDING until they are confirmed.
 * Returns the id of the escrow, which is also that of its payment.
 */
export async function reserve(
  tx: Tx,
  ctx: RequestContext,
  input: InitiateInput & { negotiationId: string },
  { rules, method, rail, requestId }: How,
): Promise<string> {
  const carrier = railOf(rail)
  const payment = await acceptedPayment(tx, ctx, input)
  const { price: amount, currency } = payment.deal.negotiation
  carrier.requirePayable({ ...method, amount, currency })
  const debit = { account: accounts.wallet(payment.source.id), test: false }
  const funding = await fundingOf(tx, ctx, { ...payment, debit }, { input, rules })
  const draft = planReservation(payment.deal, funding, { rail, requestId }, tx.now)
  const { id: reference } = draft.fundedDeal.escrow
  await chargeBudget(tx, ctx, payment.source, { reference, amount })
  tx.write(writeTogether(changesOf(draft)))
  return reference
}
