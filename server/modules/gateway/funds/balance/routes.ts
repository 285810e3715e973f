import { command, query, type App } from '#platform/http/operations'
import type { InstanceFunds } from '../funds.ts'
import { readGeneration } from './generation.ts'
import * as shapes from './schema.ts'
import { balanceView, topUp, withdraw } from './wallet.ts'

const tag = 'Routing gateway'
const BALANCE =
  'Real money and test credit for requests to the gateway. Each includes what instances have leased; requests count from their flush on, within a second of their end'
const own = { tag, access: { accept: ['jwt'] } } as const

export function fundsRoutes(app: App, funds: InstanceFunds): void {
  balanceRoutes(app)
  command(app, {
    ...own,
    method: 'POST',
    url: '/v1/wallet/topup',
    id: 'topUpRoutingBalance',
    summary: 'Top up the routing balance from a wallet',
    description:
      'Moves money from a USD wallet of yours: test credit if it covers all of the amount, else real money. Simulated answers are paid from test credit, others from real money. 400 `Insufficient balance` if the wallet does not cover the amount.',
    body: shapes.TopupBody,
    idempotent: true,
    errors: [403, 404],
    success: [200, shapes.RoutingTransfer],
    run: (tx, ctx, { body: { amount, sourceWalletId } }) =>
      topUp(tx, ctx, { amount, walletId: sourceWalletId }),
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
