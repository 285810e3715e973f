import type { Trade } from './account-history-deals.ts'
import type { TestService } from '../service/service.ts'

/** Publishes a need and makes an offer; both are accepted, and nothing is paid. */
export async function meetNeeds(
  service: TestService,
  { call, person: { token }, agent, market, seller }: Trade,
): Promise<void> {
  const send = async (path: string, by: string, body?: object): Promise<{ id: string }> => {
    const { status, text, body: made } = await service.http<{ id: string }>('POST', path, { token: by, body })
    if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`)
    return made
  }
  const need = await call<{ id: string }>('createNeed', { token, body: { budget: 10 } })
  const received = await send(`/market/needs/${need.id}/offers`, seller.owner.token, {
    agentId: seller.id,
    price: 9,
  })
  await send(`/market/offers/${received.id}/accept`, token)
  const other = await send('/market/needs', market.buyer.token, {
    title: 'keepsake of the buyer',
    budget: 10,
  })
  const made = await call<{ id: string }>('createOffer', {
    token,
    path: { id: other.id },
    body: { agentId: agent.id, price: 9 },
  })
  await send(`/market/offers/${made.id}/accept`, market.buyer.token)
}
