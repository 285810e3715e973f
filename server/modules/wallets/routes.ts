import { Type } from '#platform/http/type'
import { apiError } from '#platform/kernel/errors'
import { Id, PageOf, PageQuery, pageOf } from '#platform/http/schema'
import { command, query, type App } from '#platform/http/operations'
import { MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { WALLETS } from './errors.ts'
import {
  addWallet,
  agentWallets,
  totalsOfOwner,
  walletDetail,
  walletsOfAccount,
  walletsOfOrganization,
  walletsOfOwner,
} from './owner.ts'
import { grantPromotion } from './promotion/promotion.ts'
import * as schema from './schema.ts'
import { statementOf } from './statement.ts'
import { adminTransfer, issueTestCredit, transfer } from './transfer.ts'
import { assignUnclaimed, unclaimedFunds } from './unclaimed.ts'
import { walletView } from './view.ts'
import { requireOwnWallet } from './wallet.ts'

const tag = 'Wallets and vouchers'
const page = Type.Object(PageQuery)
const params = Type.Object({ id: Id })
const owner = { accept: ['jwt'] } as const
const admin = { accept: ['jwt'], role: 'ADMIN' } as const
/** Common fields of the read operations. */
const read = {
  method: 'GET',
  tag,
  access: { accept: ['jwt', 'sk'], scope: 'agent:read' },
  snapshot: true,
} as const

export function walletRoutes(app: App, services: Services): void {
  readRoutes(app)
  ownerRoutes(app)
  walletCommands(app, services)
  adminRoutes(app, services)
  unclaimedRoutes(app, services)
  promotionRoutes(app, services)
}

function readRoutes(app: App): void {
  query(app, {
    ...read,
    url: '/wallets/{id}',
    id: 'getWallet',
    summary: 'Get a wallet with its balances',
    params,
    success: [200, schema.WalletRecord],
    run: async (q, ctx, { params }) => walletView(q, await requireOwnWallet(q, ctx, params.id, 'read')),
  })
  query(app, {
    ...read,
    url: '/wallets/{id}/transactions',
    id: 'listWalletTransactions',
    summary: 'List the transactions of a wallet',
    params,
    query: page,
    success: [200, PageOf(schema.Transaction)],
    run: async (q, ctx, { params, query }) =>
      statementOf(q, await requireOwnWallet(q, ctx, params.id, 'read'), pageOf(query)),
  })
  query(app, {
    ...read,
    url: '/wallets/my-agents',
    id: 'listMyAgentsWallets',
    summary: 'List the wallets of your agents',
    query: page,
    success: [200, PageOf(schema.WalletRecord)],
    run: (q, ctx, { query }) => agentWallets(q, ctx, pageOf(query)),
  })
}

function ownerRoutes(app: App): void {
  query(app, {
    ...read,
    url: '/wallets/totals',
    id: 'getWalletTotals',
    summary: 'Get the sums of the transactions of an owner by period',
    query: schema.TotalsQuery,
    errors: [404],
    success: [200, schema.WalletTotals],
    run: (q, ctx, { query }) => totalsOfOwner(q, ctx, query),
  })
  query(app, {
    ...read,
    url: '/wallets/agent/{agentId}',
    id: 'getAgentWallet',
    summary: 'Get the wallets of an agent',
    params: Type.Object({ agentId: Id }),
    success: [200, schema.OwnerWallets],
    run: (q, ctx, { params }) => walletsOfOwner(q, ctx, { ownerType: 'AGENT', ownerId: params.agentId }),
  })
  query(app, {
    ...read,
    url: '/wallets/user/{userId}',
    id: 'getUserWallet',
    summary: 'Get the wallets of an account',
    params: Type.Object({ userId: Id }),
    success: [200, schema.OwnerWallets],
    run: (q, ctx, { params }) => walletsOfOwner(q, ctx, { ownerType: 'USER', ownerId: params.userId }),
  })
  query(app, {
    ...read,
    url: '/wallets/org/{slug}',
    id: 'getOrganizationWallet',
    summary: 'Get the wallets of an organization',
    params: Type.Object({ slug: Type.String({ maxLength: 200 }) }),
    success: [200, schema.OwnerWallets],
    run: (q, ctx, { params }) => walletsOfOrganization(q, ctx, params.slug),
  })
  query(app, {
    ...read,
    url: '/wallets/user/{userId}/detail',
    id: 'getUserWalletDetail',
    summary: 'Get the wallets of an account, of its agents, and the latest transactions',
    params: Type.Object({ userId: Id }),
    success: [200, schema.WalletDetail],
    run: (q, ctx, { params }) => walletDetail(q, ctx, params.userId),
  })
}

function walletCommands(app: App, { config }: Services): void {
  const unprovedLimit = BigInt(config.TRANSFER_STEP_UP_USD) * MICRO
  command(app, {
    method: 'POST',
    url: '/wallets',
    id: 'createWallet',
    tag,
    summary: 'Create a wallet',
    access: owner,
    body: schema.CreateWallet,
    example: { currency: 'USDC' },
    idempotent: true,
    errors: [404],
    success: [201, schema.WalletRecord],
    run: (tx, ctx, { body }) => addWallet(tx, ctx, body),
  })
  command(app, {
    method: 'POST',
    url: '/wallets/{id}/transfer',
    id: 'transferFromWallet',
    tag,
    summary: 'Transfer money to another wallet',
    access: owner,
    params,
    description:
      'Takes effect at once and cannot be undone. Transfers to wallets of other accounts above TRANSFER_STEP_UP_USD a day ' +
      'require a sign-in or `POST /auth/step-up` within the last 5 minutes. Insufficient funds are 400 `Insufficient ' +
      'balance`.',
    body: schema.Transfer,
    example: { toUsername: 'scribe', amount: 5, memo: 'Thanks' },
    idempotent: true,
    success: [201, schema.WalletAndTransaction],
    run: (tx, ctx, { params, body }) =>
      transfer(tx, ctx, { ...body, fromWalletId: params.id }, unprovedLimit),
  })
}

function adminRoutes(app: App, { config }: Services): void {
  const transferLimit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  query(app, {
    method: 'GET',
    url: '/admin/wallets',
    id: 'listWalletsOfAccount',
    tag: 'Admin',
    summary: 'List the wallets of an account',
    description: 'Its own first, then those of its agents. Empty for an unknown account.',
    access: admin,
    query: Type.Object({ accountId: Id, ...PageQuery }),
    snapshot: true,
    success: [200, PageOf(schema.WalletRecord)],
    run: (q, _, { query }) => walletsOfAccount(q, query.accountId, pageOf(query)),
  })
  command(app, {
    method: 'POST',
    url: '/wallets/transfer',
    id: 'adminTransfer',
    tag,
    summary: 'Transfer money between any two wallets',
    access: admin,
    description:
      'Above ADMIN_TRANSFER_LIMIT_USD a day per admin the transfer waits for another admin: the response has ' +
      '`approval` and no transaction.',
    body: schema.AdminTransfer,
    idempotent: true,
    errors: [404],
    success: [201, schema.AdminTransferAnswer],
    run: (tx, ctx, { body }) => adminTransfer(tx, ctx, body, transferLimit),
  })
  command(app, {
    method: 'POST',
    url: '/wallets/admin/test-credit',
    id: 'issueTestCredit',
    tag,
    summary: 'Issue test credit to a wallet',
    access: admin,
    body: schema.TestCredit,
    idempotent: true,
    errors: [404],
    success: [201, schema.WalletAndTransaction],
    prepare: () => {
      if (!config.sandbox)
        throw apiError(WALLETS.SANDBOX_ONLY, { hint: 'Production mode has no test credit' })
    },
    run: (tx, ctx, { body }) => issueTestCredit(tx, ctx, body),
  })
}

/** Money of the operator: ledger account 5060. */
function promotionRoutes(app: App, { config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  command(app, {
    method: 'POST',
    url: '/admin/promotions',
    id: 'grantPromotion',
    tag: 'Admin',
    summary: 'Grant money of the operator to a wallet',
    access: admin,
    description:
      'Real money, withdrawable like any other, at the expense of the operator. It counts to ADMIN_TRANSFER_LIMIT_USD a day per admin ' +
      'as transfers do; beyond it the grant waits for another admin: the response has `approval` and no transaction.',
    body: schema.Promotion,
    idempotent: true,
    errors: [404],
    success: [201, schema.AdminTransferAnswer],
    run: (tx, ctx, { body }) => grantPromotion(tx, ctx, body, limit),
  })
}

/** Unclaimed funds: ledger account 2140. */
function unclaimedRoutes(app: App, { config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  query(app, {
    method: 'GET',
    url: '/admin/unclaimed',
    id: 'listUnclaimed',
    tag: 'Admin',
    summary: 'List unclaimed funds of deleted accounts',
    access: admin,
    query: page,
    success: [200, PageOf(schema.UnclaimedFunds)],
    run: (q, _, { query }) => unclaimedFunds(q, pageOf(query)),
  })
  command(app, {
    method: 'POST',
    url: '/admin/unclaimed/{walletId}/assign',
    id: 'assignUnclaimed',
    tag: 'Admin',
    summary: 'Credit unclaimed funds to a wallet',
    access: admin,
    description:
      'Credits the whole unclaimed balance of the wallet. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.',
    params: Type.Object({ walletId: Id }),
    body: schema.AssignUnclaimed,
    idempotent: true,
    success: [200, schema.UnclaimedExit],
    run: (tx, ctx, { params, body }) => assignUnclaimed(tx, ctx, { ...body, ...params }, limit),
  })
}
