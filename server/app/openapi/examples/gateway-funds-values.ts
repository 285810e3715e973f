import { ADA_WALLET, uuid } from './constants.ts'

const BALANCE = {
  currency: 'USD',
  balance: '24.35',
  leased: '1.00',
  testCredit: '0.00',
  testCreditLeased: '0.00',
}

/** What the examples of the routing balance have in place of the values by field name. */
export const GATEWAY_FUNDS_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  RoutingBalance: BALANCE,
  RoutingTopUp: {
    id: uuid('e5'),
    status: 'COMPLETED',
    amount: '20.00',
    test: false,
    walletId: ADA_WALLET,
    checkout: { id: 'cs_1', url: 'https://pay.example.com/cs_1' },
    ...BALANCE,
  },
  RoutingTransfer: { id: uuid('e5'), amount: '20.00', test: false, walletId: ADA_WALLET, ...BALANCE },
  Generation: {
    object: 'generation',
    id: `gen-${uuid('e1')}`,
    requestedModel: 'auto',
    model: 'glm-5',
    provider: 'zai',
    tier: 'mid',
    complexity: 0.46,
    tokens: { input: 860, output: 310, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    costUsd: '0.001852',
    feeUsd: '0.000148',
    totalUsd: '0.002',
    latencyMs: 840,
    ttftMs: null,
    attempts: [{ model: 'glm-5', result: 'ok', latencyMs: 836 }],
    outcome: 'completed',
    finishReason: 'stop',
    stream: false,
    simulated: false,
  },
}
