import { demandStepUp, requestApproval } from '#identity'
import { accounts, post, lockBalances, referencedSums } from '#ledger'
import { audit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { newId } from '#platform/id'
import { formatMoney } from '#platform/money'
import { WALLETS } from './faults.ts'
import type { Wallet } from './sql.ts'
import { bothPurses, demandWallet, lockToCredit } from './wallet.ts'

/** Kind of the approval of a large exit; its payload is the whole order. */
const LARGE_EXIT = 'wallets.unclaimed'

export interface Claim { walletId: string; toWalletId: string; reason: string }

/** A page of what wallets of deleted accounts and closed organizations left behind, the oldest first. */
export async function unclaimedFunds(q: Queryable, page: Page) {
  const { sums, counted } = await referencedSums(q, accounts.unclaimed, 'walletId', { ...page, cap: TOTAL_CAP + 1 })
  return pageAnswer(sums.map(({ owner, asset, amount, since }) => ({ walletId: owner, amount: formatMoney(amount), currency: asset, since: since.toISOString() })), counted, page)
}

/**
 * Credits all that a wallet left among the unclaimed funds to another wallet; 403 without a fresh proof. Above `limit`
 * (micro-units) nothing moves: the admin asks for another admin's approval. Errors: 404 for an
 * unknown wallet or a deleted receiver, 400 for another currency, 409 when nothing is left.
 */
export async function assignUnclaimed(tx: Tx, actor: Actor, claim: Claim, limit: bigint) {
  await demandStepUp(tx, actor, tx.clock.real())
  const { from, to, amount } = await lockClaim(tx, claim)
  const about = [from.accountId, to.accountId]
  if (amount <= limit) return assign(tx, claim, { from, amount, by: actor, about })
  const payload = { ...claim, amount: formatMoney(amount), currency: from.currency }
  return { amount: formatMoney(amount), currency: from.currency, journalId: null, approval: await requestApproval(tx, actor, { kind: LARGE_EXIT, payload, about }) }
}

/** Carries out what waited for another admin. Subscribes to `approval.approved`. */
export async function assignApprovedUnclaimed(tx: Tx, { approvalId, kind, payload, requestedBy, approvedBy }: {
  approvalId: string; kind: string; payload: Record<string, string>; requestedBy: string; approvedBy: string
}) {
  if (kind !== LARGE_EXIT) return
  const { walletId = '', toWalletId = '', reason = '' } = payload
  const claim = { walletId, toWalletId, reason }
  const { from, to, amount } = await lockClaim(tx, claim)
  const { journalId } = await assign(tx, claim, {
    from, amount, by: { accountId: approvedBy, kind: 'admin' }, about: [requestedBy, from.accountId, to.accountId], details: { approvalId, requestedBy },
  })
  return { data: { journalId } }
}

async function lockClaim(tx: Tx, { walletId, toWalletId }: Claim): Promise<{ from: Wallet; to: Wallet; amount: bigint }> {
  const from = await demandWallet(tx, walletId)
  const receiver = await demandWallet(tx, toWalletId)
  // All at once and in account order, so that two claims on the same wallet wait for each other and never deadlock.
  if (receiver.currency === from.currency) await lockBalances(tx, [...bothPurses(from), ...bothPurses(receiver)], from.currency)
  const to = await lockToCredit(tx, toWalletId, from.currency)
  const { sums: [left] } = await referencedSums(tx, accounts.unclaimed, 'walletId', { owner: from.id, limit: 1, offset: 0, cap: 1 })
  if (!left) throw fault(WALLETS.NOTHING_UNCLAIMED, { hint: 'The wallet has no unclaimed funds, or they have been assigned' })
  return { from, to, amount: left.amount }
}

interface Order { from: Wallet; amount: bigint; by: { accountId: string; kind: string }; about: readonly string[]; details?: Record<string, string> }

async function assign(tx: Tx, { walletId, toWalletId, reason }: Claim, { from: { currency }, amount, by, about, details }: Order) {
  const { id: journalId } = await post(tx, {
    kind: 'unclaimed_assigned', key: `unclaimed/${walletId}/${newId()}`, reference: { walletId, toWalletId },
    legs: [{ debit: accounts.unclaimed, credit: accounts.wallet(toWalletId), amount, asset: currency }],
  })
  await audit(tx, {
    action: 'wallet.unclaimed_assigned', actorId: by.accountId, actorKind: by.kind, target: 'wallet', targetId: walletId,
    details: { toWalletId, amount: formatMoney(amount), currency, reason, journalId, ...details }, about,
  })
  return { amount: formatMoney(amount), currency, journalId }
}
