import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import { publishFailure } from './order.ts'
import { paymentMachine } from './machine.ts'
import * as statements from './sql.ts'

/** Ends a payment that nobody shall make any more: its timer expires it now. A transfer that comes later still counts. */
export async function abandonX402Payment(tx: Tx, id: string): Promise<void> {
  await tx.run(statements.expireNow(id, tx.now))
}

/** Timer: nobody has paid. A transfer that comes later still counts. */
export async function expirePayment(tx: Tx, id: string): Promise<void> {
  const payment = await tx.one(statements.lockPayment(id))
  if (payment.status !== 'PENDING' || payment.expiresAt > tx.now) return
  const reason = 'The payment was not made in time'
  await transition(tx, paymentMachine, payment, { event: 'expire', by: 'timer', set: { failure: reason } })
  await publishFailure(tx, payment, reason)
}
