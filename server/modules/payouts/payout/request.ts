import { chargeBudget } from '#budgets'
import { approvals } from '#identity'
import { lockPayment, WALLETS, type Wallet } from '#wallets'
import { audit } from '#platform/kernel/audit'
import { after, DAY, MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { formatMoney, MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import { destinationOf } from './destination.ts'
import { amountOf } from './amount.ts'
import { payoutView } from './history.ts'
import { requestPayoutMail } from '../mail.ts'
import { ownerToSpend, type Named, type Owner } from '../owner.ts'
import * as statements from './sql.ts'
import type { NewPayout, Rail } from './sql.ts'
import { postPayout } from './posting.ts'

export interface Order extends Named {
  amount?: number | string
  amountCents?: number
  rail?: Rail
  toAddress?: string
}

/** Kind of the approval of a large payout. */
const REVIEW = 'payouts.payout'

/**
 * Takes real money out of the owner's default wallet for a payout, which the timer sends. Beyond PAYOUT_REVIEW_USD in 24
 * hours it waits for an admin. Errors: 400 `Wallet not configured` without a destination, for one that is not ready,
 * for an amount below the minimum and `Insufficient balance`; 403 above a budget of the organization; 409 for a frozen wallet.
 */
export async function requestPayout(tx: Tx, services: Services, ctx: RequestContext, order: Order) {
  const { config } = services
  const owner = await ownerToSpend(tx, ctx, order)
  const rail = order.rail ?? 'processor'
  const amount = amountOf(order, {
    minimum: BigInt(config.PAYOUT_MIN_USD) * MICRO,
    cents: rail === 'processor',
  })
  const destination = await destinationOf(tx, services, ctx, { owner, order, rail })
  await tx.run(statements.lockRequestsOf(owner.accountId))
  const wallet = await lockWallet(tx, owner, rail)
  const { amount: before } = await tx.one(statements.requestedSince(owner.accountId, after(tx.now, -DAY)))
  const isLarge = before + amount > BigInt(config.PAYOUT_REVIEW_USD) * MICRO
  const payout = {
    id: newId(),
    status: isLarge ? ('REVIEW' as const) : ('REQUESTED' as const),
    ownerType: owner.type,
    ownerId: owner.id,
    accountId: owner.accountId,
    walletId: wallet.id,
    rail,
    amount,
    currency: wallet.currency,
    destination,
    dueAt: isLarge ? null : after(tx.now, config.PAYOUT_HOLD_MINUTES * MINUTE),
    createdAt: tx.now,
  }
  // A bank account is the organization's own; an address may be anybody's.
  if (rail === 'chain') await chargeBudget(tx, ctx, wallet, { reference: payout.id, amount })
  const approvalId = isLarge ? await requestReview(tx, ctx, payout) : null
  const row = await tx.one(statements.insertPayout({ ...payout, approvalId }))
  await postPayout(tx, row)
  await audit(tx, ctx, 'payout.requested', {
    target: ['payout', row.id],
    details: { ownerType: owner.type, ownerId: owner.id, amount: formatMoney(amount), rail, destination },
    about: [owner.accountId],
  })
  await requestPayoutMail(tx, services, row)
  return payoutView(row)
}

async function lockWallet(tx: Tx, owner: Owner, rail: Rail): Promise<Wallet> {
  const currency = rail === 'processor' ? 'USD' : 'USDC'
  const {
    wallets: [wallet],
  } = await lockPayment(tx, {
    source: {
      owner: part`select ${owner.type}::text, ${owner.id}::uuid`,
      currency: part`select ${currency}::text`,
    },
    owners: part`select null::text, null::uuid where false`,
  })
  if (!wallet)
    throw apiError(WALLETS.WALLET_NOT_FOUND, { hint: `Create a ${currency} wallet with POST /wallets` })
  return wallet
}

async function requestReview(
  tx: Tx,
  ctx: RequestContext,
  payout: Omit<NewPayout, 'approvalId'>,
): Promise<string> {
  const { id: payoutId, ownerType, ownerId, walletId, amount, currency, rail, destination } = payout
  const payload = {
    payoutId,
    ownerType,
    ownerId,
    walletId,
    amount: formatMoney(amount),
    currency,
    rail,
    destination,
  }
  return (await approvals.requestApproval(tx, ctx, { kind: REVIEW, payload })).id
}
