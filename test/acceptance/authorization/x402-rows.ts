import { naming, REASON, sending, toPartnerAs } from './bodies.ts'
import { all, byAdmin, one, type Row } from './row.ts'
import * as at from './targets.ts'

const ADDRESS = '0x103d6d77c5ea7fe7ab747d2ddef4f35389666643'
/** A resource that costs something asks everybody for a payment. */
const UNPAID = { own: 402, others: 402 }

export const x402: Row[] = [
  one('POST /payments/x402/initiate', 'service', at.agent, {
    others: 200,
    ...naming('agentId', { amount: 0.25 }),
  }),
  one('GET /payments/x402/{id}', 'none', at.x402Payment, { others: 200 }),
  one('GET /payments/x402/{id}/pay', 'none', at.x402Payment, UNPAID),
  one('POST /payments/x402/{id}/pay', 'none', at.x402Payment, UNPAID),
  one('GET /agents/{id}/pay', 'none', at.pricedAgent, { own: 402, others: 403, admin: 402 }),
  one('POST /agents/{id}/pay', 'none', at.pricedAgent, { own: 402, others: 403, admin: 402 }),
  all('POST /webhooks/x402', 'signature', 400, sending({})),
  byAdmin('GET /admin/x402/transfers'),
  // A transfer needs a chain: server/modules/x402/suspense.test.ts.
  byAdmin('POST /admin/x402/transfers/{id}/assign', 404, {
    target: at.account,
    body: toPartnerAs('walletId'),
  }),
  byAdmin('POST /admin/x402/transfers/{id}/return', 404, { target: at.account, ...REASON }),
  all('POST /sandbox/chain/faucet', 'none', 409, sending({ address: ADDRESS, amount: 1 })),
]
