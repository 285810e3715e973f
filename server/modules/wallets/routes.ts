import { Type } from 'typebox'
import { fault } from '#platform/fault'
import { Id, PageOf, PageQuery, pageOf } from '#platform/http/schema'
import { route, type App } from '#platform/http/route'
import { once } from '#platform/idempotency'
import { MICRO } from '#platform/money'
import type { Services } from '#platform/services'
import { WALLETS } from './faults.ts'
import { addWallet, agentWallets, walletDetail, walletsOfOrganization, walletsOfOwner } from './owner.ts'
import * as schema from './schema.ts'
import { statementOf } from './statement.ts'
import { adminTransfer, issueTestCredit, transfer } from './transfer.ts'
import { assignUnclaimed, unclaimedFunds } from './unclaimed.ts'
import { walletView } from './view.ts'
import { demandOwnWallet } from './wallet.ts'

const tag = 'Wallets and vouchers'
const page = Type.Object(PageQuery)
const params = Type.Object({ id: Id })

export function walletRoutes(app: App, services: Services): void {
  readRoutes(app, services)
  ownerRoutes(app, services)
  moneyRoutes(app, services)
  unclaimedRoutes(app, services)
}

function readRoutes(app: App, { db }: Services): void {
  route(app, {
    method: 'GET', url: '/wallets/{id}', id: 'getWallet', tag, summary: 'Get a wallet with its balances', auth: 'service', scope: 'agent:read', params,
    reply: { 200: schema.WalletRecord },
    handle: async ({ actor, params }) => db.snapshot(async q => walletView(q, await demandOwnWallet(q, actor, params.id, 'read'))),
  })
  route(app, {
    method: 'GET', url: '/wallets/{id}/transactions', id: 'listWalletTransactions', tag, summary: 'List the transactions of a wallet', auth: 'service', scope: 'agent:read',
    params, query: page, reply: { 200: PageOf(schema.Transaction) },
    handle: async ({ actor, params, query }) => db.snapshot(async q => statementOf(q, await demandOwnWallet(q, actor, params.id, 'read'), pageOf(query))),
  })
  route(app, {
    method: 'GET', url: '/wallets/my-agents', id: 'listMyAgentsWallets', tag, summary: 'List the wallets of your agents', auth: 'service', scope: 'agent:read',
    query: page, reply: { 200: PageOf(schema.WalletRecord) },
    handle: async ({ actor, query }) => db.snapshot(q => agentWallets(q, actor, pageOf(query))),
  })
}

function ownerRoutes(app: App, { db }: Services): void {
  route(app, {
    method: 'GET', url: '/wallets/agent/{agentId}', id: 'getAgentWallet', tag, summary: 'Get the wallets of an agent', auth: 'service', scope: 'agent:read',
    params: Type.Object({ agentId: Id }), reply: { 200: schema.OwnerWallets },
    handle: async ({ actor, params }) => db.snapshot(q => walletsOfOwner(q, actor, { ownerType: 'AGENT', ownerId: params.agentId })),
  })
  route(app, {
    method: 'GET', url: '/wallets/user/{userId}', id: 'getUserWallet', tag, summary: 'Get the wallets of an account', auth: 'service', scope: 'agent:read',
    params: Type.Object({ userId: Id }), reply: { 200: schema.OwnerWallets },
    handle: async ({ actor, params }) => db.snapshot(q => walletsOfOwner(q, actor, { ownerType: 'USER', ownerId: params.userId })),
  })
  route(app, {
    method: 'GET', url: '/wallets/org/{slug}', id: 'getOrganizationWallet', tag, summary: 'Get the wallets of an organization',
    auth: 'service', scope: 'agent:read', params: Type.Object({ slug: Type.String({ maxLength: 200 }) }), reply: { 200: schema.OwnerWallets },
    handle: async ({ actor, params }) => db.snapshot(q => walletsOfOrganization(q, actor, params.slug)),
  })
  route(app, {
    method: 'GET', url: '/wallets/user/{userId}/detail', id: 'getUserWalletDetail', tag, auth: 'service', scope: 'agent:read',
    summary: 'Get the wallets of an account, of its agents, and the latest transactions', params: Type.Object({ userId: Id }), reply: { 200: schema.WalletDetail },
    handle: async ({ actor, params }) => db.snapshot(q => walletDetail(q, actor, params.userId)),
  })
}

function moneyRoutes(app: App, { db, config }: Services): void {
  const transferLimit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  const unprovedLimit = BigInt(config.TRANSFER_STEP_UP_USD) * MICRO
  route(app, {
    method: 'POST', url: '/wallets', id: 'createWallet', tag, summary: 'Create a wallet', auth: 'jwt', body: schema.CreateWallet,
    example: { currency: 'USDC' }, idempotent: true, errors: [404], reply: { 201: schema.WalletRecord },
    handle: async ({ actor, body, request, reply }) => once(db, request, reply, tx => addWallet(tx, actor, body)),
  })
  route(app, {
    method: 'POST', url: '/wallets/{id}/transfer', id: 'transferFromWallet', tag, summary: 'Transfer money to another wallet', auth: 'jwt', params,
    description: 'Takes effect at once and cannot be undone. Transfers to wallets of others above TRANSFER_STEP_UP_USD a day '
      + 'require a sign-in or `POST /auth/step-up` within the last 5 minutes. Insufficient funds are 400 `Insufficient '
      + 'balance`.',
    body: schema.Transfer, example: { toUsername: 'scribe', amount: 5, memo: 'Thanks' }, idempotent: true, reply: { 201: schema.WalletAndTransaction },
    handle: async ({ actor, params, body, request, reply }) =>
      once(db, request, reply, tx => transfer(tx, actor, { ...body, fromWalletId: params.id }, unprovedLimit)),
  })
  route(app, {
    method: 'POST', url: '/wallets/transfer', id: 'adminTransfer', tag, summary: 'Transfer money between any two wallets', auth: 'admin',
    description: 'Above ADMIN_TRANSFER_LIMIT_USD a day per admin the transfer waits for another admin: the response has '
      + '`approval` and no transaction.',
    body: schema.AdminTransfer, idempotent: true, errors: [404], reply: { 201: schema.AdminTransferAnswer },
    handle: async ({ actor, body, request, reply }) => once(db, request, reply, tx => adminTransfer(tx, actor, body, transferLimit)),
  })
  route(app, {
    method: 'POST', url: '/wallets/admin/test-credit', id: 'issueTestCredit', tag, summary: 'Issue test credit to a wallet', auth: 'admin',
    body: schema.TestCredit, idempotent: true, errors: [404], reply: { 201: schema.WalletAndTransaction },
    handle: async ({ actor, body, request, reply }) => {
      if (!config.sandbox) throw fault(WALLETS.SANDBOX_ONLY, { hint: 'Production mode has no test credit' })
      return once(db, request, reply, tx => issueTestCredit(tx, actor, body))
    },
  })
}

/** The exit of account 2140. */
function unclaimedRoutes(app: App, { db, config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  route(app, {
    method: 'GET', url: '/admin/unclaimed', id: 'listUnclaimed', tag: 'Admin', summary: 'List unclaimed funds of deleted accounts', auth: 'admin',
    query: page, reply: { 200: PageOf(schema.UnclaimedFunds) },
    handle: async ({ query }) => unclaimedFunds(db, pageOf(query)),
  })
  route(app, {
    method: 'POST', url: '/admin/unclaimed/{walletId}/assign', id: 'assignUnclaimed', tag: 'Admin', summary: 'Credit unclaimed funds to a wallet', auth: 'admin',
    description: 'All that the wallet left behind. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.',
    params: Type.Object({ walletId: Id }), body: schema.AssignUnclaimed, idempotent: true, reply: { 200: schema.UnclaimedExit },
    handle: async ({ actor, params, body, request, reply }) => once(db, request, reply, tx => assignUnclaimed(tx, actor, { ...body, ...params }, limit)),
  })
}
