import { accountByUsername, demandStepUp, isProvedRecently, requestApproval } from '#identity'
import { accounts, balanceOf, lockBalances, post } from '#ledger'
import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { formatMoney, MAX_AMOUNT, parseAmount } from '#platform/money'
import { WALLETS } from './faults.ts'
import { newestTransaction } from './statement.ts'
import { walletView } from './view.ts'
import { bothPurses, chooseDebit, createWallet, creditAccount, defaultWallet, demandKept, demandOwnWallet, demandReceivingWallet, demandWallet, lockToCredit } from './wallet.ts'
import { addToDayTotal, type Wallet } from './sql.ts'

interface Order { toWalletId?: string; toUsername?: string; amount: number | string; memo?: string }
/** With who wrote the memo. */
type Signed = Order & { author: string }

/**
 * Moves money from a wallet of the caller to any other of the same currency: test credit when the test purse
 * covers all of it, else real money; never both. To wallets of others an account moves `limit` (micro-units) a day;
 * beyond it each transfer needs a fresh proof (403). Faults: 400 for the same wallet, another currency or
 * `Insufficient balance`, 404 for an unknown receiver.
 */
export async function transfer(tx: Tx, actor: Actor, input: Order & { fromWalletId: string }, limit: bigint) {
  const from = await demandOwnWallet(tx, actor, input.fromWalletId)
  const to = await receiver(tx, from, input)
  if (holderOf(from) !== holderOf(to) && !(await isProvedRecently(tx, actor, tx.clock.real()))) {
    const within = await withinDay(tx, { accountId: actor.accountId, kind: 'own', amount: parseAmount(input.amount), limit })
    if (!within) await demandStepUp(tx, actor, tx.clock.real())
  }
  const moved = await move(tx, from, { ...input, author: actor.accountId })
  // Several people spend from it: the audit log tells who did.
  if (from.ownerType === 'ORGANIZATION') await audit(tx, {
    action: 'wallet.organization_transfer', actorId: actor.accountId, actorKind: actor.kind, target: 'wallet', targetId: from.id,
    details: { organizationId: from.ownerId, amount: String(input.amount), journalId: moved.transaction.id },
  })
  return moved
}

/** Whose money a wallet holds: an organization's, or that of the account behind a person or an agent. */
const holderOf = ({ ownerType, ownerId, accountId }: Wallet): string => (ownerType === 'ORGANIZATION' ? ownerId : accountId)

const withinDay = async (tx: Tx, total: Omit<Parameters<typeof addToDayTotal>[0], 'now'>): Promise<boolean> =>
  (await tx.maybe(addToDayTotal({ ...total, now: tx.now }))) !== undefined

/** What an approval of a large transfer is called; its payload is the whole order. */
const LARGE_TRANSFER = 'wallet.transfer'

/**
 * The same between any two wallets, by an admin who gives a reason; it stands in the audit log. 403 without a fresh
 * proof. Beyond `limit` (micro-units) a day for each admin nothing moves: the transfer waits for another admin.
 */
export async function adminTransfer(tx: Tx, actor: Actor, input: Order & { fromWalletId: string; reason: string }, limit: bigint) {
  await demandStepUp(tx, actor, tx.clock.real())
  const { fromWalletId, reason } = input
  const from = await demandWallet(tx, fromWalletId)
  const order = { ...input, memo: input.memo ?? reason, author: actor.accountId }
  const amount = parseAmount(order.amount)
  const to = await receiver(tx, from, order)
  const about = [from.accountId, to.accountId]
  if (!(await withinDay(tx, { accountId: actor.accountId, kind: 'admin', amount, limit }))) {
    const payload = { fromWalletId, toWalletId: to.id, amount: formatMoney(amount), currency: from.currency, memo: order.memo, reason }
    const approval = await requestApproval(tx, actor, { kind: LARGE_TRANSFER, payload, about })
    return { wallet: await walletView(tx, from), transaction: null, approval }
  }
  const moved = await move(tx, from, order)
  await audit(tx, {
    action: 'wallet.admin_transfer', actorId: actor.accountId, actorKind: actor.kind, target: 'wallet', targetId: from.id,
    details: { fromWalletId, toWalletId: to.id, amount: String(input.amount), reason, journalId: moved.transaction.id }, about,
  })
  return moved
}

/** Moves what waited for another admin, or refuses as any transfer is refused. Follows `approval.approved`. */
export async function onApproved(tx: Tx, { approvalId, kind, payload, requestedBy, approvedBy }: {
  approvalId: string; kind: string; payload: Record<string, string>; requestedBy: string; approvedBy: string
}) {
  if (kind !== LARGE_TRANSFER) return
  const { fromWalletId = '', toWalletId, amount = '', memo } = payload
  const from = await demandWallet(tx, fromWalletId)
  const { transaction } = await move(tx, from, { toWalletId, amount, memo, author: requestedBy }, `transfer/${approvalId}`)
  const to = await demandWallet(tx, toWalletId ?? '')
  await audit(tx, {
    action: 'wallet.admin_transfer', actorId: approvedBy, actorKind: 'admin', target: 'wallet', targetId: from.id,
    details: { ...payload, approvalId, requestedBy, journalId: transaction.id }, about: [requestedBy, from.accountId, to.accountId],
  })
  return { data: { journalId: transaction.id } }
}

async function move(tx: Tx, from: Wallet, order: Signed, key = `transfer/${newId()}`) {
  const amount = parseAmount(order.amount)
  const to = await receiver(tx, from, order)
  // All four purses at once and in account order: opposite transfers wait for each other and never deadlock.
  await lockBalances(tx, [...bothPurses(from), ...bothPurses(to)], from.currency)
  // A deletion that swept the receiver's purses first has ended by now.
  await demandKept(tx, to)
  const { account, test } = await chooseDebit(tx, from, amount)
  await post(tx, {
    kind: 'transfer', key, memo: order.memo, author: order.author, reference: { fromWalletId: from.id, toWalletId: to.id },
    legs: [{ debit: account, credit: creditAccount(to, test), amount, asset: from.currency }],
  })
  return { wallet: await walletView(tx, from), transaction: await newestTransaction(tx, from) }
}

async function receiver(tx: Tx, from: Wallet, order: Order): Promise<Wallet> {
  const to = await named(tx, from, order)
  if (to.id === from.id) throw fault(WALLETS.SELF_TRANSFER, { hint: 'Name another wallet' })
  if (to.currency !== from.currency) throw fault(WALLETS.CURRENCY_MISMATCH, { hint: `This wallet holds ${from.currency}, the receiver's ${to.currency}` })
  return to
}

async function named(tx: Tx, from: Wallet, { toWalletId, toUsername }: Order): Promise<Wallet> {
  if ((toWalletId === undefined) === (toUsername === undefined)) throw invalid('give either toWalletId or toUsername')
  if (toWalletId !== undefined) return demandReceivingWallet(tx, toWalletId)
  const account = await accountByUsername(tx, toUsername ?? '')
  if (!account) throw fault(WALLETS.USER_NOT_FOUND, { hint: `No account has the username ${toUsername}` })
  return await defaultWallet(tx, 'USER', account.id, from.currency)
    ?? createWallet(tx, { ownerType: 'USER', ownerId: account.id, accountId: account.id, currency: from.currency })
}

/** Credit for trying the service, spendable and never withdrawable. Sandbox mode only. Errors: 404 for an unknown wallet or a deleted owner, 400 above the limit of a wallet. */
export async function issueTestCredit(tx: Tx, actor: Actor, input: { walletId: string; amount: number | string; reason: string }) {
  const amount = parseAmount(input.amount)
  const wallet = await lockToCredit(tx, input.walletId)
  const before = await balanceOf(tx, accounts.testPurse(wallet.id), wallet.currency)
  if (before + amount > MAX_AMOUNT) throw fault(WALLETS.TEST_CREDIT_LIMIT, { hint: `a wallet holds at most ${formatMoney(MAX_AMOUNT)} of test credit` })
  await post(tx, {
    kind: 'test_credit', key: `test_credit/${newId()}`, memo: input.reason, author: actor.accountId, reference: { walletId: wallet.id },
    legs: [{ debit: accounts.testFloat, credit: creditAccount(wallet, true), amount, asset: wallet.currency }],
  })
  await audit(tx, {
    action: 'wallet.test_credit', actorId: actor.accountId, actorKind: actor.kind, target: 'wallet', targetId: wallet.id,
    details: { amount: String(input.amount), reason: input.reason }, about: [wallet.accountId],
  })
  return { wallet: await walletView(tx, wallet), transaction: await newestTransaction(tx, wallet) }
}
