import { requireStepUp, approvals } from '#identity'
import { accounts, ledgerOwners, lockBalances, post } from '#ledger'
import { audit, type Author } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { newId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { WALLETS } from './errors.ts'
import type { Wallet } from './sql.ts'
import { subAccounts, requireWallet, lockToCredit } from './wallet.ts'

/** Kind of the approval of a large exit; its payload is the whole order. */
const LARGE_EXIT = 'wallets.unclaimed'

export interface Claim {
  walletId: string
  toWalletId: string
  reason: string
}

/** A page of what wallets of deleted accounts and closed organizations left behind, the oldest first. */
export async function unclaimedFunds(q: Queryable, page: Page) {
  const { sums, counted } = await ledgerOwners.referencedSums(q, accounts.unclaimed, 'walletId', {
    ...page,
    cap: TOTAL_CAP + 1,
  })
  return pageAnswer(
    sums.map(({ owner, asset, amount, since }) => ({
      walletId: owner,
      amount: formatMoney(amount),
      currency: asset,
      since: since.toISOString(),
    })),
    counted,
    page,
  )
}

/**
 * Credits all that a wallet left among the unclaimed funds to another wallet; 403 without a fresh proof. Above `limit`
 * (micro-units) nothing moves: the admin asks for another admin's approval. Errors: 404 for an
 * unknown wallet or a deleted receiver, 400 for another currency, 409 when nothing is left.
 */
export async function assignUnclaimed(tx: Tx, ctx: RequestContext, claim: Claim, limit: bigint) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const { from, to, amount } = await lockClaim(tx, claim)
  const about = [from.accountId, to.accountId]
  if (amount <= limit) return assign(tx, ctx, claim, { from, amount, about })
  const payload = { ...claim, amount: formatMoney(amount), currency: from.currency }
  return {
    amount: formatMoney(amount),
    currency: from.currency,
    journalId: null,
    approval: await approvals.requestApproval(tx, ctx, { kind: LARGE_EXIT, payload }),
  }
}

/** Executes an assignment that another admin approved. */
export async function assignApprovedUnclaimed(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string>> {
  const { walletId = '', toWalletId = '', reason = '' } = payload
  const claim = { walletId, toWalletId, reason }
  const { from, to, amount } = await lockClaim(tx, claim)
  const { journalId } = await assign(tx, { by: ['admin', approvedBy] }, claim, {
    from,
    amount,
    about: [requestedBy, from.accountId, to.accountId],
    details: { approvalId, requestedBy },
  })
  return { journalId }
}

async function lockClaim(
  tx: Tx,
  { walletId, toWalletId }: Claim,
): Promise<{ from: Wallet; to: Wallet; amount: bigint }> {
  const from = await requireWallet(tx, walletId)
  const receiver = await requireWallet(tx, toWalletId)
  // All at once and in account order, so that two claims on the same wallet wait for each other and never deadlock.
  if (receiver.currency === from.currency)
    await lockBalances(tx, [...subAccounts(from), ...subAccounts(receiver)], from.currency)
  const to = await lockToCredit(tx, toWalletId, from.currency)
  const {
    sums: [left],
  } = await ledgerOwners.referencedSums(tx, accounts.unclaimed, 'walletId', {
    owner: from.id,
    limit: 1,
    offset: 0,
    cap: 1,
  })
  if (!left)
    throw apiError(WALLETS.NOTHING_UNCLAIMED, {
      hint: 'The wallet has no unclaimed funds, or they have been assigned',
    })
  return { from, to, amount: left.amount }
}

interface Order {
  from: Wallet
  amount: bigint
  about: readonly string[]
  details?: Record<string, string>
}

async function assign(
  tx: Tx,
  author: Author,
  { walletId, toWalletId, reason }: Claim,
  { from: { currency }, amount, about, details }: Order,
) {
  const { id: journalId } = await post(tx, {
    kind: 'unclaimed_assigned',
    key: `unclaimed/${walletId}/${newId()}`,
    reference: { walletId, toWalletId },
    legs: [{ debit: accounts.unclaimed, credit: accounts.wallet(toWalletId), amount, asset: currency }],
  })
  await audit(tx, author, 'wallet.unclaimed_assigned', {
    target: ['wallet', walletId],
    details: { toWalletId, amount: formatMoney(amount), currency, reason, journalId, ...details },
    about,
  })
  return { amount: formatMoney(amount), currency, journalId }
}
