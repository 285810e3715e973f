import type { Queryable, Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import { formatMoney } from '#platform/kernel/money'
import { publishFailure } from './order.ts'
import { paymentMachine } from './machine.ts'
import * as statements from './sql.ts'
import type { Payment } from './sql.ts'

/**
 * Ends a payment that nobody shall make any more: its timer expires it now. A transfer that comes later still counts. True
 * also if no payment was stored: the caller has locked what the payment would be for, and so does who stores it. False for
 * one that is under way, or has ended.
 */
export async function abandonX402Payment(tx: Tx, id: string): Promise<boolean> {
  if ((await tx.run(statements.expireNow(id, tx.now))) > 0) return true
  return (await tx.maybe(statements.paymentById(id))) === undefined
}

/** Timer: nobody has paid. A transfer that comes later still counts. */
export async function expirePayment(tx: Tx, id: string): Promise<void> {
  const payment = await tx.one(statements.lockPayment(id))
  if (payment.status !== 'PENDING' || payment.expiresAt > tx.now) return
  const reason = (await otherAmountFor(tx, payment)) ?? 'The payment was not made in time'
  await transition(tx, paymentMachine, payment, { event: 'expire', by: 'timer', set: { failure: reason } })
  await publishFailure(tx, payment, reason)
}

/** Names a transfer of another amount, which waits for an operator, where it is certain that it was meant for this payment. */
export async function otherAmountFor(
  q: Queryable,
  { id, holder, buyerAddress, amount, createdAt }: Payment,
): Promise<string | null> {
  if (holder !== 'DEPOSIT' && buyerAddress === null) return null
  const other = await q.maybe(statements.otherAmountFor(id, createdAt))
  if (!other) return null
  return `A transfer of ${formatMoney(other.amount)} USDC arrived in place of ${formatMoney(amount)} USDC: ask the operator to return it`
}
