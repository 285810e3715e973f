import { empty, naming, sending } from './bodies.ts'
import * as money from './money-targets.ts'
import { all, one, type Row } from './row.ts'
import * as at from './targets.ts'

const NO_BANK = { own: 400, ...sending({ amount: 1 }) }
export const payouts: Row[] = [
  all('POST /payouts/user/setup', 'jwt', 201, empty),
  all('GET /payouts/user/account-status', 'jwt'),
  // More than anybody has, with a bank account or without: what follows is for their own tests.
  all('POST /payouts/user/request', 'jwt', 400, sending({ amount: 900_000 })),
  all('GET /payouts/user/history', 'jwt'),
  one('POST /payouts/agent-to-user', 'jwt-human', at.agent, {
    ...NO_BANK,
    ...naming('agentId', { amount: 1 }),
  }),
  one('POST /payouts/setup', 'jwt', at.agent, { own: 201, ...naming('agentId') }),
  one('GET /payouts/account-status/{agentId}', 'jwt', at.agent),
  one('POST /payouts/request', 'jwt', at.agent, { ...NO_BANK, ...naming('agentId', { amount: 1 }) }),
  one('GET /payouts/history/{agentId}', 'jwt', at.agent),
  one('POST /payouts/org/setup', 'jwt', at.organization, { own: 201, ...naming('organizationSlug') }),
  one('GET /payouts/org/account-status/{slug}', 'jwt', at.organization),
  one('POST /payouts/org/request', 'jwt', at.organization, {
    ...NO_BANK,
    ...naming('organizationSlug', { amount: 1 }),
  }),
  one('GET /payouts/org/history/{slug}', 'jwt', at.organization),
  one('POST /payouts/{id}/cancel', 'jwt', at.payout),
]

export const cardPayments: Row[] = [
  all('GET /payments/card', 'jwt'),
  one('GET /payments/card/{id}', 'jwt', money.cardPayment, { others: 404 }),
]

export const subscriptions: Row[] = [
  all('GET /subscriptions/plans', 'none'),
  all('GET /subscriptions/me', 'jwt'),
  // Before anybody has a subscription.
  all('POST /subscriptions/cancel', 'jwt', 404, sending({ immediately: true })),
  // Opens a hosted page: nothing is paid.
  all('POST /subscriptions/checkout', 'jwt', 201, empty),
  one('POST /subscriptions/checkout', 'jwt', at.emptyWallet, { own: 400, ...naming('walletId') }),
]
