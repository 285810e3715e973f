import type { Queryable } from '#platform/kernel/db'
import { moneyNumber } from '#platform/kernel/money'
import { otherAmountFor } from './expire.ts'
import * as statements from './sql.ts'
import type { Payment } from './sql.ts'

/** The status of a payment, for anybody who has its id. */
export async function paymentView(q: Queryable, payment: Payment) {
  const { id, status, payTo, amount, network, agentId, failure, expiresAt, createdAt } = payment
  const transfer = await q.maybe(statements.transferOf(payment.transferId))
  return {
    transactionId: id,
    status,
    to: payTo,
    amount: moneyNumber(amount),
    currency: 'USDC',
    network,
    reference: id,
    agentId,
    payer: transfer?.payer ?? null,
    txHash: transfer?.txHash ?? null,
    failure: status === 'PENDING' ? await otherAmountFor(q, payment) : failure,
    expiresAt: expiresAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
