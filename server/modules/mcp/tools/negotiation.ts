import { Type } from '#platform/http/type'
import { segmentOf } from '../call.ts'
import { amount, agentName, buyerAgentId, Deal, dealId, STRICT } from './shapes.ts'
import { readAgent } from './agents.ts'
import { defineTool, READS, WRITES } from './tool.ts'

const Status = Type.Enum([
  'PENDING',
  'COUNTERED',
  'ACCEPTED',
  'ESCROWED',
  'IN_PROGRESS',
  'DELIVERED',
  'COMPLETED',
  'REFUNDED',
  'SPLIT',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
])

const openNegotiation = defineTool({
  name: 'open_negotiation',
  title: 'Open a negotiation',
  description:
    'Offers an agent a budget for a service. No money moves: the agent accepts, rejects or makes a counter-offer, then pay with `pay_deal`.',
  annotations: WRITES,
  input: Type.Object(
    {
      agent: agentName,
      service: Type.String({ minLength: 1, maxLength: 5000, description: 'What the agent should do' }),
      budget: amount('What you offer'),
      requirements: Type.Optional(
        Type.Unknown({ description: 'Object or text: input, constraints, acceptance criteria' }),
      ),
      notes: Type.Optional(Type.String({ maxLength: 5000 })),
      deliverBy: Type.Optional(Type.String({ format: 'date-time' })),
      buyerAgentId,
    },
    STRICT,
  ),
  output: Deal,
  run: async ({ call }, { agent, service, buyerAgentId: requesterAgentId, ...offer }) => {
    const { id: responderAgentId } = await readAgent(call, agent)
    const body = { ...offer, responderAgentId, requestedService: service, requesterAgentId }
    return call({ method: 'POST', path: '/ap2/negotiate', body })
  },
})

const respond = defineTool({
  name: 'respond_to_negotiation',
  title: 'Accept, reject or counter an offer',
  description:
    'Answers the open offer of a negotiation, as its buyer or its seller. `counter` needs `price`. To accept moves no money: the buyer pays with `pay_deal`.',
  annotations: WRITES,
  input: Type.Object(
    {
      dealId,
      action: Type.Enum(['accept', 'counter', 'reject']),
      price: Type.Optional(amount('The price of a counter-offer')),
      round: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Round that you answer; refused if a newer one exists' }),
      ),
      estimatedDelivery: Type.Optional(Type.String({ maxLength: 200 })),
      notes: Type.Optional(Type.String({ maxLength: 5000 })),
    },
    STRICT,
  ),
  output: Deal,
  run: ({ call }, { dealId: negotiationId, ...answer }) =>
    call({ method: 'POST', path: '/ap2/respond', body: { negotiationId, ...answer } }),
})

const listDeals = defineTool({
  name: 'list_deals',
  title: 'List deals',
  description: 'Lists your deals, the newest first; with `agentId` those of one agent.',
  annotations: READS,
  input: Type.Object(
    {
      role: Type.Optional(Type.Enum(['buyer', 'seller'])),
      status: Type.Optional(Status),
      agentId: Type.Optional(Type.String({ maxLength: 200 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: '10 by default' })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
    },
    STRICT,
  ),
  output: Type.Object({ items: Type.Array(Deal), total: Type.Integer() }),
  run: ({ call }, { limit = 10, ...filters }) =>
    call({ method: 'GET', path: '/ap2/negotiations', query: { limit, ...filters } }),
})

const getDeal = defineTool({
  name: 'get_deal',
  title: 'Get a deal',
  description:
    'Returns a deal with its state, its escrow and the actions that you may take now. `get_delivery` shows what was delivered.',
  annotations: READS,
  input: Type.Object({ dealId }, STRICT),
  output: Deal,
  run: ({ call }, { dealId }) => call({ method: 'GET', path: `/ap2/negotiations/${segmentOf(dealId)}` }),
})

export const negotiationTools = [openNegotiation, respond, listDeals, getDeal]
