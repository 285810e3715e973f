import { deliveredDeal, must, publishAgent, type DealView, type Market } from '#test'
import { call, marketOf } from './fixtures.ts'
import type { Prepare } from './targets.ts'

async function released(market: Market): Promise<DealView> {
  const deal = await deliveredDeal(market)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
  return deal
}
/** The agent of the partner, with the escrow of a deal that has ended. */
export const ratedAgent: Prepare = async (fixtures, tenant) => {
  const { agent } = fixtures.partner
  const { escrowId } = await released(marketOf(fixtures, tenant, agent))
  return { ids: [agent.id, escrowId] }
}
/** A request of the partner's agent to one of the tenant. */
export const collaboration: Prepare = async ({ service, partner }, tenant) => {
  const agent = await publishAgent(service, tenant)
  const { id } = await call(service, 'POST /agents/a2a', {
    token: partner.token,
    body: { requesterAgentId: partner.agent.id, responderAgentId: agent.id, payload: 'translate' },
  })
  return { ids: [id] }
}
/** An agent of the tenant with a rating by the partner. */
export const review: Prepare = async (fixtures, tenant) => {
  const agent = await publishAgent(fixtures.service, tenant)
  const market = marketOf(fixtures, fixtures.partner, agent)
  const { escrowId } = await released(market)
  const { id } = await must<{ id: string }>(market, 'buyer', `/agents/${agent.id}/reviews`, {
    escrowId,
    rating: 5,
  })
  return { ids: [agent.id, id] }
}
