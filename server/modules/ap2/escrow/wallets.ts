import assert from 'node:assert/strict'
import type { Account } from '#identity'
import { findLimits } from '#spending'
import {
  createWallet,
  cryptoWallets,
  lockPayment,
  requireOwnWallet,
  requireWallet,
  WALLETS,
  type Wallet,
} from '#wallets'
import type { RequestContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { Asset } from '#platform/kernel/money'
import type { SqlPart } from '#platform/kernel/sql'
import type { Deal } from '../deal/deal.ts'
import { organizationOf } from '../deal/organizations.ts'
import type { DealDraft } from '../deal/plan.ts'
import { currencyOf, payerOf, sellerOf } from '../deal/sql.ts'

/** A deal that is about to be paid, with what its payment needs. */
export interface Payment {
  deal: Deal
  source: Wallet
  destination: Wallet
  /** The plan of the seller's owner, and the agents of the deal whose keys are revoked. */
  terms: { plan: Account['plan']; revokedAgents: readonly string[] }
  /** Locked balances of the wallet that pays. */
  balances: ReadonlyMap<string, bigint>
  /** Of a deal that is opened by the same command. */
  draft?: DealDraft
}

type Locked = Awaited<ReturnType<typeof lockPayment>>

/** The wallets that can pay and receive in a negotiation. `negotiation` is a subquery of its id. */
export const lockWallets = (
  tx: Tx,
  negotiation: SqlPart,
  sourceWalletId: string | undefined,
): Promise<Locked> =>
  lockPayment(tx, {
    source:
      sourceWalletId === undefined
        ? { owner: payerOf(negotiation), currency: currencyOf(negotiation) }
        : { walletId: sourceWalletId },
    owners: sellerOf(negotiation),
  })

interface Choice extends Locked {
  deal: Deal
  sourceWalletId: string | undefined
}

/** The wallet that pays: the one that the buyer names, else the default wallet of the party that pays. */
export async function payingWallet(
  tx: Tx,
  ctx: RequestContext,
  { deal: { negotiation, sellerAgent }, sourceWalletId, wallets }: Choice,
): Promise<Wallet> {
  const { buyerOrganizationId: organizationId, currency } = negotiation
  const choice =
    sourceWalletId ??
    wallets.find(wallet => wallet.currency === currency && wallet.ownerId !== sellerAgent?.id) ??
    (organizationId ? undefined : await firstWallet(tx, ctx, currency))
  if (choice === undefined)
    throw apiError(WALLETS.CURRENCY_MISMATCH, {
      hint: `You have no ${currency} wallet: create one with POST /wallets`,
    })
  const source = await requireOwnWallet(tx, ctx, choice)
  if (sourceWalletId !== undefined && organizationId && organizationOf(source) !== organizationId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'An organization pays from its own wallets' })
  await requireLimitsApplied(tx, source, negotiation)
  return source
}

/** 403 for the wallet of an agent with a budget or policy, which apply to a deal that the agent buys. */
async function requireLimitsApplied(
  tx: Tx,
  { ownerType, ownerId }: Wallet,
  { buyerAgentId }: Deal['negotiation'],
): Promise<void> {
  if (ownerType !== 'AGENT' || ownerId === buyerAgentId || !(await findLimits(tx, ownerId))) return
  throw apiError(COMMON.FORBIDDEN, {
    hint: 'The wallet belongs to an agent with a budget or policy: negotiate with its requesterAgentId',
  })
}

/** The wallet for the first USDC of the caller; everybody has one in dollars. */
async function firstWallet(tx: Tx, ctx: RequestContext, currency: Asset): Promise<Wallet | undefined> {
  const { accountId } = ctx.principal
  if (currency !== 'USDC') return undefined
  return cryptoWallets.openWallet(tx, { ownerType: 'USER', ownerId: accountId, accountId }, currency)
}

/** The seller's wallet of the deal's currency, created when it is the first money of that kind. */
export async function receivingWallet(
  tx: Tx,
  { negotiation, sellerAgent }: Deal,
  wallets: readonly Wallet[],
): Promise<Wallet> {
  assert(sellerAgent, 'an accepted negotiation has a selling agent')
  const { id: ownerId, walletId, ownerId: accountId } = sellerAgent
  const { currency } = negotiation
  const own = wallets.find(wallet => wallet.id === walletId) ?? (await requireWallet(tx, walletId))
  if (own.currency === currency) return own
  return (
    wallets.find(wallet => wallet.ownerId === ownerId && wallet.currency === currency && wallet.isDefault) ??
    createWallet(tx, { ownerType: 'AGENT', ownerId, accountId, currency })
  )
}
