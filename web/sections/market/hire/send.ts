import { api } from '../../../api/client.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { TEST_CARD, type Method } from '../../deals/pay/pay-picker.tsx'
import { inputOf, offerOf, priceOfDraft, serviceOf, type HireDraft } from './draft.ts'

/** Makes an offer. Returns the id of the deal. */
export async function sendOffer(agent: Agent, draft: HireDraft): Promise<string> {
  const { data } = await api.POST('/ap2/negotiate', { body: offerOf(draft, agent) })
  return required(data).id
}

/** Hires at the listed price and pays. Returns the id of the deal; null if the browser leaves for a payment page. */
export async function hireNow(agent: Agent, draft: HireDraft, method: Method): Promise<string | null> {
  const amount = priceOfDraft(draft, agent)
  const work = { serviceDescription: serviceOf(draft, agent), input: inputOf(draft, agent) }
  if (method.kind === 'wallet') {
    const { data } = await api.POST('/payments/ap2/initiate', {
      body: { sourceWalletId: method.walletId, destinationWalletId: agent.walletId, amount, ...work },
    })
    return required(data).negotiationId
  }
  if (method.kind === 'testCard') {
    const { data } = await api.POST('/payments/stripe/create', {
      body: { agentId: agent.id, amount, paymentMethodId: TEST_CARD, ...work },
    })
    return required(data).negotiationId
  }
  // The service puts the id of the deal into the address.
  const back = `${location.origin}/app/deals/{NEGOTIATION_ID}`
  const { data } = await api.POST('/payments/create-agent-checkout', {
    body: { agentId: agent.id, amount, successUrl: back, cancelUrl: back, ...work },
  })
  location.assign(required(data).url)
  return null
}

/** A refusal was thrown before; an answer without a body would be an error of the service. */
function required<Body>(body: Body | undefined): Body {
  if (body === undefined) throw new Error('the answer has no body')
  return body
}
