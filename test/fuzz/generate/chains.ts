/** One request of a chain. */
export interface Link {
  operation: string
  /** The caller: the first or the second tenant of the chain, or an admin. */
  by: 'first' | 'second' | 'admin'
  /** Fields of the body that are not left to chance. */
  with?: Record<string, unknown>
}

const first = (operation: string, body?: Record<string, unknown>): Link => ({
  operation,
  by: 'first',
  with: body,
})
const second = (operation: string, body?: Record<string, unknown>): Link => ({
  operation,
  by: 'second',
  with: body,
})
const admin = (operation: string, body?: Record<string, unknown>): Link => ({
  operation,
  by: 'admin',
  with: body,
})

const held: Link[] = [
  first('POST /ap2/negotiate', { budget: 5 }),
  second('POST /ap2/respond', { status: 'ACCEPTED', action: undefined, price: undefined, round: undefined }),
  first('POST /payments/ap2/initiate', {
    rail: 'wallet',
    expectedFeeBps: undefined,
    sourceWalletId: undefined,
  }),
]
const delivered: Link[] = [
  ...held,
  second('POST /ap2/start'),
  second('POST /ap2/deliver', { result: { text: 'done' } }),
]

/**
 * Requests that build on each other, so that random ones find objects in every state. A chain ends at the first request that
 * is refused, or by chance before its end.
 */
const ABOUT_SECOND: readonly Link[][] = [
  [
    ...delivered,
    first('POST /payments/ap2/release', {
      acceptUnverified: true,
      amount: undefined,
      milestoneKey: undefined,
    }),
    first('POST /agents/{id}/reviews'),
    second('POST /agents/{id}/reviews/{reviewId}/reply'),
  ],
  [
    ...delivered,
    first('POST /payments/escrow/{id}/dispute'),
    second('POST /payments/escrow/{id}/dispute/respond'),
    admin('POST /payments/escrow/{id}/resolve', {
      outcome: 'SPLIT',
      sellerBps: 3333,
      byCriteria: undefined,
      failedCriteria: undefined,
    }),
  ],
  [
    ...delivered,
    first('POST /payments/escrow/{id}/dispute'),
    first('POST /payments/escrow/{id}/dispute/withdraw'),
  ],
  [
    ...delivered,
    first('POST /payments/escrow/{id}/changes', { criteria: undefined }),
    second('POST /payments/escrow/{id}/deliver'),
  ],
  [...held, second('POST /payments/escrow/{id}/refund')],
  [...held, second('POST /agents/{id}/revoke-key'), admin('POST /payments/escrow/{id}/unfreeze')],
  [
    first('POST /market/needs', { budget: 20 }),
    second('POST /market/needs/{id}/offers', { price: 4 }),
    first('POST /market/offers/{id}/accept'),
    first('POST /payments/ap2/initiate', { rail: 'wallet' }),
  ],
  [
    first('POST /agents/{id}/execute', { budget: 3 }),
    second('POST /agents/{id}/runs/{runId}/result', { status: 'SUCCEEDED' }),
  ],
  [
    first('POST /payouts/user/setup', {}),
    first('POST /sandbox/onboarding/{id}', { accountNumber: '000123456789' }),
    first('POST /payouts/user/request', {
      amount: 3,
      amountCents: undefined,
      rail: undefined,
      toAddress: undefined,
    }),
    first('POST /payouts/{id}/cancel'),
  ],
  [
    first('POST /wallet-vouchers', { amount: 2 }),
    second('POST /wallet-vouchers/redeem', { walletId: undefined }),
  ],
  [first('POST /wallet-vouchers', { amount: 2 }), first('POST /wallet-vouchers/{id}/cancel')],
  [
    first('POST /organizations'),
    first('POST /organizations/{slug}/members', { role: 'MEMBER', username: undefined }),
    second('POST /organizations/{slug}/accept'),
    first('PATCH /organizations/{slug}/members/{userId}', { role: 'ADMIN' }),
    first('DELETE /organizations/{slug}/members/{userId}'),
  ],
  [
    first('POST /affiliates/apply', { code: undefined }),
    admin('POST /affiliates/admin/{id}/review', { decision: 'approve' }),
    first('POST /affiliates/links/generate', {}),
    first('GET /affiliates/dashboard'),
  ],
  [first('POST /vault'), ...held, second('POST /ap2/start')],
  [
    first('POST /agents/announce'),
    first('POST /agents/{id}/claim-link'),
    second('POST /agents/claim/{token}'),
    second('POST /agents/{id}/detach-creator'),
  ],
  [first('POST /agents/a2a'), second('POST /agents/a2a/respond', { status: 'ACCEPTED' })],
  [
    admin('POST /wallets/transfer', { amount: 1500 }),
    admin('POST /admin/approvals/{id}/approve', { totpCode: undefined }),
  ],
  [
    first('POST /wallets/{id}/fund', { rail: undefined, paymentMethodId: 'pm_card_createDispute' }),
    admin('GET /admin/chargebacks'),
    admin('POST /admin/chargebacks/{id}/evidence'),
  ],
  [
    first('POST /v1/chat/completions', { model: 'svc/budget', max_tokens: 20 }),
    first('POST /v1/routing/outcomes', { rating: 'good', score: undefined }),
  ],
  [
    first('POST /agents', {}),
    first('POST /agents/{id}/submit'),
    admin('POST /agents/{id}/review', { decision: 'APPROVED' }),
  ],
  [
    first('POST /payments/create-agent-checkout', { amount: 4 }),
    first('POST /sandbox/checkout/{id}', { cardNumber: '4242424242424242' }),
  ],
  [first('POST /subscriptions/checkout', { rail: 'wallet' }), first('POST /subscriptions/cancel')],
]

/** Chains about an agent of the first tenant. */
const ABOUT_FIRST: readonly Link[][] = [
  [first('POST /mfa/setup'), first('POST /mfa/enable'), first('POST /mfa/disable')],
  [
    first('PATCH /agents/{id}', {
      ap2Endpoint: 'https://agent.example/a2a',
      status: undefined,
      slug: undefined,
    }),
    first('POST /certification-runs', { participants: undefined }),
    first('POST /certification-runs/{runId}/start'),
  ],
  [
    first('PATCH /agents/{id}', {
      pricing: { model: 'per_call', amount: 0.5, currency: 'USDC' },
      status: undefined,
      slug: undefined,
    }),
    second('POST /agents/{id}/pay'),
  ],
  [
    first('POST /payouts/setup', {}),
    first('POST /sandbox/onboarding/{id}', { accountNumber: '000123456789' }),
    first('POST /payouts/request', {
      amount: 3,
      amountCents: undefined,
      rail: undefined,
      toAddress: undefined,
    }),
  ],
  [
    first('POST /certification-runs', { participants: undefined }),
    first('POST /certification-runs/{runId}/participants'),
    first('POST /certification-runs/{runId}/start'),
  ],
  [
    first('PUT /agents/{id}/webhook'),
    second('POST /ap2/negotiate'),
    first('GET /agents/{id}/webhook/deliveries'),
    first('POST /agents/{id}/webhook/deliveries/{deliveryId}/replay'),
  ],
]

export interface Chain {
  /** Whose agent, account and wallet the chain is about. */
  about: 'first' | 'second'
  links: readonly Link[]
}

export const CHAINS: readonly Chain[] = [
  ...ABOUT_SECOND.map(links => ({ about: 'second' as const, links })),
  ...ABOUT_FIRST.map(links => ({ about: 'first' as const, links })),
]
