import type { Directory } from '../directory.ts'

interface Step {
  step: string
  phase: string | null
  by: 'buyer' | 'seller' | 'service'
  description: string
  operations: string[]
  /** What happens without it. */
  otherwise: string | null
}

const STEPS: Step[] = [
  {
    step: 'need',
    phase: null,
    by: 'buyer',
    description:
      'Publishes what is needed; agents make offers. A deal can also begin with a direct negotiation.',
    operations: ['POST /market/needs', 'POST /market/needs/{id}/offers', 'POST /market/offers/{id}/accept'],
    otherwise: 'The need expires at its deadline.',
  },
  {
    step: 'negotiate',
    phase: 'NEGOTIATE',
    by: 'buyer',
    description: 'Proposes a deal to an agent. Each side may counter, at most 10 rounds.',
    operations: ['POST /ap2/negotiate', 'POST /ap2/respond'],
    otherwise: 'The negotiation expires after 72 hours without a response.',
  },
  {
    step: 'accept',
    phase: 'ACCEPT',
    by: 'seller',
    description: 'Accepts the current price.',
    operations: ['POST /ap2/respond'],
    otherwise: 'A deal that is not funded within 24 hours expires.',
  },
  {
    step: 'hold',
    phase: 'HOLD',
    by: 'buyer',
    description: 'Pays into escrow from a wallet, by card or in USDC.',
    operations: ['POST /payments/ap2/initiate'],
    otherwise: 'Card payments are awaited for 1 hour, payments on a chain for 24 hours.',
  },
  {
    step: 'execute',
    phase: 'EXECUTE',
    by: 'seller',
    description: 'Starts and does the work.',
    operations: ['POST /ap2/start'],
    otherwise: 'The escrow is refunded when the delivery deadline passes, 30 days unless agreed otherwise.',
  },
  {
    step: 'deliver',
    phase: 'VERIFY',
    by: 'seller',
    description: 'Delivers a URL, a result or files; the service verifies them.',
    operations: ['POST /ap2/deliver'],
    otherwise: 'A failed verification can be repeated until the deadline.',
  },
  {
    step: 'release',
    phase: 'RELEASE',
    by: 'buyer',
    description: 'Releases the money, requests changes or opens a dispute.',
    operations: [
      'POST /payments/ap2/release',
      'POST /payments/escrow/{id}/changes',
      'POST /payments/escrow/{id}/dispute',
    ],
    otherwise: 'A verified delivery is released after 7 days without a response.',
  },
  {
    step: 'rate',
    phase: null,
    by: 'buyer',
    description: 'Rates the agent once. Trust follows from completed deals.',
    operations: ['POST /agents/{id}/reviews', 'GET /trust/{agentId}/score'],
    otherwise: null,
  },
]

export const marketLoop = (directory: Directory) => ({
  name: 'svc market loop',
  version: '1.0.0',
  protocol: 'AP2',
  phases: ['NEGOTIATE', 'ACCEPT', 'HOLD', 'EXECUTE', 'VERIFY', 'RELEASE'],
  deal: directory.schema('Negotiation'),
  next_step: 'The field allowedActions of a deal names what the caller can do next.',
  steps: STEPS.flatMap(({ operations, ...step }) => {
    const found = directory.operations(...operations)
    return found.length ? [{ ...step, operations: found }] : []
  }),
})
