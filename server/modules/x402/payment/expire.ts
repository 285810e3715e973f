import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import { formatMoney } from '#platform/kernel/money'
import { publishFailure } from './order.ts'
import { paymentMachine } from './machine.ts'
import * as statements from './sql.ts'
import type { Payment } from './sql.ts'

/** Ends a payment that nobody shall make any more: its timer expires it now. A transfer that comes later still counts. */
export async function abandonX402Payment(tx: Tx, id: string): Promise<void> {
  await tx.run(statements.expireNow(id, tx.now))
}

/** Timer: nobody has paid. A transfer that comes later still counts. */
export async function expirePayment(tx: Tx, id: string): Promise<void> {
  const payment = await tx.one(statements.lockPayment(id))
  if (payment.status !== 'PENDING' || payment.expiresAt > tx.now) return
  const reason = await reasonOf(tx, payment)
  await transition(tx, paymentMachine, payment, { event: 'expire', by: 'timer', set: { failure: reason } })
  await publishFailure(tx, payment, reason)
}

/** Names a transfer of another amount, which waits for an operator, where it is certain that it was meant for this payment. */
async function reasonOf(tx: Tx, { id, holder, buyerAddress, amount, createdAt }: Payment): Promise<string> {
  const isOwn = holder === 'DEPOSIT' || buyerAddress !== null
  const other = isOwn ? await tx.maybe(statements.otherAmountFor(id, createdAt)) : undefined
  return other
    ? `A transfer of ${formatMoney(other.amount)} USDC arrived in place of ${formatMoney(amount)} USDC: ask the operator to return it`
    : 'The payment was not made in time'
}
