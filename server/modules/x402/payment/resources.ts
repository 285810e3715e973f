import type { IncomingHttpHeaders } from 'node:http'
import type { PublicContext } from '#platform/http/principal'
import { respond } from '#platform/http/response'
import type { Services } from '#platform/kernel/services'
import { AGENT_PURPOSE, insertCallPayment, requirePricedAgent, requireReceiver } from './agent-order.ts'
import { paymentIn } from './authorization.ts'
import { paymentResponse } from './required.ts'
import { termsOf } from './requirements.ts'
import * as statements from './sql.ts'
import { requirePayable, requirePayment, takePayment, type PaidResource } from './take.ts'
import { paymentView } from './view.ts'

/**
 * Pays a requested payment: without a payment in the headers it answers 402 with what is to be paid. The same authorization
 * again gets the same answer.
 */
export async function payRequested(services: Services, id: string, headers: IncomingHttpHeaders) {
  const payment = await requirePayment(services.db, id)
  // An ended payment is not asked for; a payment in the headers may be the one that ended it.
  if (!paymentIn(headers)) {
    requirePayable(payment)
    await requireReceiver(services.db, payment)
  }
  return receipt(
    services,
    {
      terms: termsOf(services, payment),
      lock: async tx => {
        await requireReceiver(tx, payment)
        return tx.one(statements.lockPayment(id))
      },
      isPaidBy: other => other.id === id,
    },
    headers,
  )
}

/** Pays the list price of an agent: each authorization is a payment of its own. */
export async function payAgent(
  services: Services,
  ctx: PublicContext,
  { agentId, headers }: { agentId: string; headers: IncomingHttpHeaders },
) {
  const { seller, price } = await requirePricedAgent(services.db, ctx, agentId)
  const { payTo, description } = seller
  const url = `${services.publicUrl}/agents/${agentId}/pay`
  return receipt(
    services,
    {
      terms: { payTo, amount: price, url, description },
      lock: tx => insertCallPayment(tx, services, { seller, price }),
      isPaidBy: payment => payment.purpose === AGENT_PURPOSE && payment.agentId === agentId,
    },
    headers,
  )
}

async function receipt(services: Services, resource: PaidResource, headers: IncomingHttpHeaders) {
  const { payment, authorization } = await takePayment(services, resource, headers)
  const body = await paymentView(services.db, payment)
  return respond(body, { headers: paymentResponse(authorization.version, authorization) })
}
