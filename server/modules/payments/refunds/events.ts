import { Type } from '#platform/http/type'
import { schemaCheck } from '#platform/adapters/json-schema/schema-check'
import type { Db } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import { toCents } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { ProcessorHint } from '../ports.ts'
import { pursueRefund } from './refund.ts'
import * as statements from './sql.ts'

const isRefund = schemaCheck(Type.Object({ metadata: Type.Object({ refundId: Type.String() }) }))
const isCharge = schemaCheck(
  Type.Object({ payment_intent: Type.String(), amount_refunded: Type.Integer({ minimum: 0 }) }),
)

/** Events of refunds: the state of ours is read from the processor. One that was made there by hand is an operator's. */
export const handleRefundEvent =
  (services: Services) =>
  async (db: Db, { type, object }: ProcessorHint): Promise<string> => {
    if (type === 'charge.refunded') return isCharge(object) ? outcomeOfCharge(db, object) : 'refund'
    if (!isRefund(object) || !isId(object.metadata.refundId)) return 'recorded'
    const refund = await db.maybe(statements.refundById(object.metadata.refundId))
    if (!refund) return 'unmatched'
    await pursueRefund(services, refund.id)
    const { status } = await db.one(statements.refundById(refund.id))
    return status === refund.status ? 'known' : 'booked'
  }

/** `known` if what was refunded of a charge is what the service has sent back. */
async function outcomeOfCharge(
  db: Db,
  {
    payment_intent: processorId,
    amount_refunded: cents,
  }: { payment_intent: string; amount_refunded: number },
): Promise<'known' | 'refund'> {
  const payment = await db.maybe(statements.paymentIdOf(processorId))
  if (!payment) return 'refund'
  const refunds = await db.rows(statements.refundsOf(payment.id))
  return toCents(refunds.reduce((sum, each) => sum + each.amount, 0n)) >= cents ? 'known' : 'refund'
}
