import {
  accepting,
  answering,
  asEscrow,
  asNegotiation,
  deciding,
  directly,
  empty,
  hire,
  hireByCard,
  offer,
  REASON,
  sending,
  settled,
} from './bodies.ts'
import { all, byAdmin, one, READ, type Row } from './row.ts'
import * as run from './run-targets.ts'
import * as at from './targets.ts'

/** An agent's key is valid for the agent's deals, not for purchases of its owner. */
const NOT_THE_AGENT = { agent: 403 }

export const negotiations: Row[] = [
  all('POST /ap2/negotiate', 'agent', 201, { body: offer }),
  one('POST /ap2/negotiate', 'agent', at.agent, { own: 201, body: offer }),
  one('POST /ap2/respond', 'agent', at.sales.offered, { own: 201, ...accepting }),
  // The buyer is a party, but it is not its turn.
  one('POST /ap2/respond', 'agent', at.purchases.offered, { own: 409, ...NOT_THE_AGENT, ...accepting }),
  one('POST /ap2/start', 'agent', at.sales.funded, { own: 201, ...asNegotiation() }),
  one('POST /ap2/cancel', 'agent', at.purchases.offered, { own: 201, ...NOT_THE_AGENT, ...asNegotiation() }),
  one('POST /ap2/cancel', 'agent', at.sales.offered, { own: 403, ...asNegotiation() }),
  one('POST /ap2/deliver', 'agent', at.sales.funded, { own: 201, ...asNegotiation({ result: 'done' }) }),
  one('GET /ap2/negotiations/{id}', 'agent', at.sales.offered, { ...READ, unknown: 400 }),
  one('GET /ap2/negotiations/{id}', 'agent', at.purchases.offered, {
    ...READ,
    ...NOT_THE_AGENT,
    unknown: 400,
  }),
  one('GET /ap2/negotiations/{id}/terms', 'agent', at.sales.funded, { ...READ, unknown: 400 }),
  all('GET /ap2/negotiations', 'agent'),
]

export const runs: Row[] = [
  // An agent cannot run itself.
  one('POST /agents/{id}/execute', 'service', run.freeAgent, {
    own: 201,
    agent: 400,
    admin: 201,
    ...sending({ input: 'go' }),
  }),
  one('GET /agents/{id}/executions', 'service', at.agent),
  one('POST /agents/{id}/runs/{runId}/result', 'agent', run.sold, {
    own: 201,
    ...sending({ status: 'SUCCEEDED', output: 'done' }),
    settable: ['status'],
  }),
  all('GET /agents/my-runs', 'service'),
  one('GET /agents/my-runs/{id}', 'service', run.bought),
  one('GET /agents/my-runs/{id}/debug-bundle', 'service', run.bought),
  // It needs no approval.
  one('POST /agents/my-runs/{id}/approve', 'jwt', run.bought, { own: 409 }),
  one('POST /agents/my-runs/{id}/reject', 'jwt', run.bought, { own: 409 }),
  one('POST /agents/my-runs/{id}/cancel', 'service', run.bought),
]

export const escrows: Row[] = [
  one('POST /payments/ap2/initiate', 'service', at.purchases.accepted, { own: 201, ...asNegotiation() }),
  one('POST /payments/ap2/initiate', 'service', at.wallet, { own: 201, body: directly }),
  one('POST /payments/ap2/complete', 'service', at.purchases.held, { own: 201, admin: 201, ...settled }),
  // It was paid from a wallet: there is no release by card to confirm.
  one('POST /payments/ap2/confirm-stripe-release', 'service', at.purchases.held, {
    own: 409,
    admin: 409,
    ...asEscrow(),
  }),
  all('POST /payments/create-agent-checkout', 'service', 200, { body: hire }),
  all('POST /payments/stripe/create', 'service', 200, { body: hireByCard }),
  one('POST /payments/ap2/release', 'service', at.purchases.delivered, { own: 201, ...asEscrow() }),
  one('POST /payments/ap2/release', 'service', at.sales.held, { own: 403, ...asEscrow() }),
  one('GET /payments/ap2/escrows/{id}/reconciliation', 'service', at.purchases.held, READ),
  all('GET /payments/escrow', 'service'),
  one('GET /payments/escrow/{id}', 'service', at.sales.held, READ),
  one('GET /payments/escrow/{id}', 'service', at.purchases.held, READ),
  one('GET /payments/escrow/{id}/events', 'service', at.sales.held, READ),
  one('GET /payments/escrow/{id}/deliveries/{deliveryId}', 'agent', at.purchases.delivery, {
    ...READ,
    ...NOT_THE_AGENT,
  }),
  // A delivery without a page has no picture.
  one('GET /payments/escrow/{id}/deliveries/{deliveryId}/screenshot', 'agent', at.purchases.delivery, {
    ...NOT_THE_AGENT,
    own: 404,
    admin: 404,
  }),
  one('POST /payments/escrow/{id}/deliver', 'agent', at.sales.held, {
    own: 201,
    ...sending({ result: 'done' }),
  }),
  one('POST /payments/escrow/{id}/deliver', 'agent', at.purchases.held, {
    own: 403,
    ...sending({ result: 'done' }),
  }),
  one('POST /payments/escrow/{id}/refund', 'service', at.sales.held, { own: 201, ...empty }),
  one('POST /payments/escrow/{id}/refund', 'service', at.purchases.held, { own: 403, ...empty }),
  one('POST /payments/escrow/{id}/dispute', 'service', at.purchases.held, { own: 201, ...REASON }),
  one('POST /payments/escrow/{id}/dispute/respond', 'service', at.sales.disputed, { own: 201, ...answering }),
  one('POST /payments/escrow/{id}/dispute/withdraw', 'service', at.purchases.disputed, {
    own: 201,
    ...empty,
  }),
  one('POST /payments/escrow/{id}/changes', 'service', at.purchases.delivered, { own: 201, ...REASON }),
  byAdmin('POST /payments/escrow/{id}/resolve', 201, { target: at.sales.disputed, ...deciding }),
  byAdmin('POST /payments/escrow/{id}/unfreeze', 201, { target: at.sales.frozen, ...empty }),
]
