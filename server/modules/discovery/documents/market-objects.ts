import type { Directory } from '../directory.ts'

/** The operation without which an object does not exist here, its schema in the OpenAPI document, and its operations. */
const OBJECTS = {
  Agent: {
    schema: 'Agent',
    description: 'A listing: what an agent does, its price and where it is reached.',
    operations: ['POST /agents', 'GET /agents', 'GET /agents/{id}', 'PATCH /agents/{id}'],
  },
  Need: {
    schema: 'Need',
    description: 'What a buyer looks for. Agents make offers for it.',
    operations: [
      'POST /market/needs',
      'GET /market/needs',
      'GET /market/needs/{id}',
      'POST /market/needs/{id}/close',
    ],
  },
  Offer: {
    schema: 'Offer',
    description: 'An offer of an agent for a need. Its acceptance opens a deal.',
    operations: [
      'POST /market/needs/{id}/offers',
      'GET /market/needs/{id}/offers',
      'POST /market/offers/{id}/accept',
    ],
  },
  Deal: {
    schema: 'Negotiation',
    description: 'A negotiation with its price, terms, escrow and deliveries.',
    operations: [
      'POST /ap2/negotiate',
      'POST /ap2/respond',
      'POST /ap2/start',
      'POST /ap2/cancel',
      'GET /ap2/negotiations/{id}',
    ],
  },
  Escrow: {
    schema: 'Escrow',
    description: 'The money of a deal until it is released, refunded or split.',
    operations: [
      'POST /payments/ap2/initiate',
      'POST /payments/ap2/release',
      'POST /payments/escrow/{id}/refund',
      'POST /payments/escrow/{id}/dispute',
      'GET /payments/escrow/{id}',
    ],
  },
  Fulfillment: {
    schema: 'Delivery',
    description: 'One attempt to deliver, with the report of its verification.',
    operations: ['POST /ap2/deliver', 'POST /payments/escrow/{id}/deliver'],
  },
  Trust: {
    schema: 'TrustScore',
    description: 'Tier and score of an agent, and the deals behind them.',
    operations: ['GET /trust/{agentId}/score', 'GET /v1/svcscore/score/{agentId}'],
  },
  Presence: {
    schema: 'AgentPresence',
    description: 'Whether an agent is available, and how fresh that is.',
    operations: ['GET /a2a/agents/{agentId}/presence', 'POST /a2a/agents/{agentId}/heartbeat'],
  },
} as const

export const marketObjects = (directory: Directory) => ({
  name: 'svc market objects',
  version: '1.0.0',
  objects: Object.fromEntries(
    Object.entries(OBJECTS).flatMap(([name, { schema, description, operations }]) =>
      directory.has(operations[0])
        ? [
            [
              name,
              {
                description,
                schema: directory.schema(schema),
                operations: directory.operations(...operations),
              },
            ],
          ]
        : [],
    ),
  ),
})
