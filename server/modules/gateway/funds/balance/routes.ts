import { command, commandWithFollowUp, query, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import type { InstanceFunds } from '../funds.ts'
import { beginTopUp } from './card.ts'
import { readGeneration } from './generation.ts'
import * as shapes from './schema.ts'
import { balanceView, withdraw } from './wallet.ts'

const tag = 'Routing gateway'
const BALANCE =
  'Real money and test credit for requests to the gateway. Each includes what instances have leased; requests count from their flush on, within a second of their end'
/** Longer than the processor and its notification together are waited for. */
const LONGEST_MS = 20_000
const own = { tag, access: { accept: ['jwt'] } } as const

export function fundsRoutes(app: App, services: Services, funds: InstanceFunds): void {
  balanceRoutes(app)
  commandWithFollowUp(app, {
    ...own,
    method: 'POST',
    url: '/v1/wallet/topup',
    id: 'topUpRoutingBalance',
    summary: 'Top up the routing balance',
    description:
      'From a USD wallet of yours: test credit if it covers all of the amount, else real money; 400 `Insufficient balance` if it covers neither. Or real money by card, or on a hosted page with `returnUrl` or `rail: "checkout"`: it responds when the notification of the processor has been posted. If the outcome is not known yet, it is PENDING; the same request with the same Idempotency-Key continues the same payment, which is never charged twice. Simulated answers are paid from test credit, others from real money.',
    body: shapes.TopupBody,
    errors: [403, 404],
    success: [200, shapes.RoutingTopUp],
    longestMs: LONGEST_MS,
    run: (tx, ctx, { body, subjectId }) => beginTopUp(services, tx, ctx, { body, subjectId }),
  })
  command(app, {
    ...own,
    method: 'POST',
    url: '/v1/wallet/withdraw',
    id: 'withdrawRoutingBalance',
    summary: 'Return money of the routing balance to a wallet',
    description:
      'The opposite of a top-up, by the same rules. Instances return what they have leased and do not use; what requests under way have reserved is not available: 400 `Insufficient balance`.',
    body: shapes.WithdrawBody,
    idempotent: true,
    errors: [403, 404],
    success: [200, shapes.RoutingTransfer],
    prepare: ctx => funds.recallAll(ctx.principal.accountId),
    run: (tx, ctx, { body: { amount, targetWalletId } }) =>
      withdraw(tx, ctx, { amount, walletId: targetWalletId }),
  })
  generationRoute(app, funds)
}

function balanceRoutes(app: App): void {
  const read = { ...own, method: 'GET', snapshot: true, success: [200, shapes.RoutingBalance] } as const
  query(app, {
    ...read,
    url: '/v1/wallet/balance',
    id: 'getRoutingBalance',
    summary: 'Get the routing balance',
    description: `${BALANCE}.`,
    run: (q, ctx) => balanceView(q, ctx.principal.accountId),
  })
  query(app, {
    ...read,
    url: '/v1/auth/keys/wallet/balance',
    id: 'getRoutingBalanceOfKeys',
    summary: 'Get the routing balance that your routing keys spend',
    description: `${BALANCE}; the same as /v1/wallet/balance.`,
    run: (q, ctx) => balanceView(q, ctx.principal.accountId),
  })
}

function generationRoute(app: App, funds: InstanceFunds): void {
  query(app, {
    method: 'GET',
    tag,
    access: { accept: ['rk'] },
    url: '/v1/generations/{id}',
    id: 'getGeneration',
    summary: 'Get the usage and cost of a response',
    description:
      'The record of a request of this account, available at the end of its response. 404 for an unknown id and for one of another account. Cost and fee are what was charged.',
    errors: [404],
    params: shapes.GenerationPath,
    success: [200, shapes.GenerationRecord],
    run: (q, ctx, { params: { id } }) => readGeneration(q, funds, { id, accountId: ctx.principal.accountId }),
  })
}
