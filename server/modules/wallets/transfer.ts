import { chargeBudget } from '#budgets'
import { IDENTITY, accountByUsername, requireStepUp, isProvedRecently, approvals } from '#identity'
import { accounts, balanceOf, lockBalances, post, writeJournal } from '#ledger'
import { audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { isId, newId } from '#platform/kernel/id'
import { formatMoney, MAX_AMOUNT, parseAmount } from '#platform/kernel/money'
import { WALLETS } from './errors.ts'
import { isClaimable } from './ports.ts'
import { walletChangedBy } from './statement.ts'
import { walletView } from './view.ts'
import {
  subAccounts,
  debitAccountOf,
  createWallet,
  creditAccount,
  defaultWallet,
  requireStored,
  requireOwnWallet,
  requireReceivingWallet,
  requireWallet,
  lockToCredit,
} from './wallet.ts'
import { addToDayTotal, walletById, type Wallet } from './sql.ts'

interface Order {
  toWalletId?: string
  toUsername?: string
  amount: number | string
  memo?: string
}
/** With the author of the memo, and what is checked once the balances are locked. */
type Signed = Order & { author: string; beforePosting?: () => Promise<void> }

/**
 * Moves money from a wallet of the caller to any other of the same currency: test credit if the test sub-account
 * covers all of it, else real money; never both. An account transfers up to `limit` (micro-units) a day to wallets of other accounts,
 * or of agents that a person with a link may claim;
 * beyond it each transfer needs a fresh proof (403). ApiErrors: 400 for the same wallet, another currency or
 * `Insufficient balance`, 404 for an unknown receiver.
 */
export async function transfer(
  tx: Tx,
  ctx: RequestContext,
  input: Order & { fromWalletId: string },
  limit: bigint,
) {
  // Sent together: none needs what another finds.
  const [from, found, isProved] = await Promise.all([
    requireOwnWallet(tx, ctx, input.fromWalletId),
    walletNamedBy(tx, input),
    isProvedRecently(tx, ctx, tx.clock.real()),
  ])
  const to = await receiver(tx, from, input, found)
  const amount = parseAmount(input.amount)
  const leaves = await leavesAccount(tx, from, to)
  if (leaves && !isProved) await requireUnprovedQuota(tx, ctx, amount, limit)
  const moved = await move(tx, [from, to], {
    ...input,
    author: ctx.principal.accountId,
    beforePosting: async () => {
      if (leaves) await chargeBudget(tx, ctx, from, { reference: newId(), amount })
    },
  })
  // Several people can spend from it: the audit log records who did.
  if (from.ownerType === 'ORGANIZATION')
    await audit(tx, ctx, 'wallet.organization_transfer', {
      target: ['wallet', from.id],
      details: {
        organizationId: from.ownerId,
        amount: String(input.amount),
        journalId: moved.transaction.id,
      },
    })
  return moved
}

/**
 * Requires a fresh proof (403) for money that leaves the account and exceeds, with what left it today without a proof,
 * `limit` (micro-units).
 */
export async function requireDayQuota(
  tx: Tx,
  ctx: RequestContext,
  amount: bigint,
  limit: bigint,
): Promise<void> {
  if (!(await isProvedRecently(tx, ctx, tx.clock.real()))) await requireUnprovedQuota(tx, ctx, amount, limit)
}

async function requireUnprovedQuota(
  tx: Tx,
  ctx: RequestContext,
  amount: bigint,
  limit: bigint,
): Promise<void> {
  const { accountId } = ctx.principal
  if (!(await withinDay(tx, { accountId, kind: 'own', amount, limit })))
    await requireStepUp(tx, ctx, tx.clock.real())
}

/** Whose money a wallet holds: an organization's, or that of the account behind a person or an agent. */
const holderOf = ({ ownerType, ownerId, accountId }: Wallet): string =>
  ownerType === 'ORGANIZATION' ? ownerId : accountId

/** Whether the money may end up with somebody else: at once, or with the person who claims the agent that receives it. */
const leavesAccount = async (tx: Tx, from: Wallet, to: Wallet): Promise<boolean> =>
  holderOf(from) !== holderOf(to) ||
  (to.ownerType === 'AGENT' &&
    to.ownerId !== from.ownerId &&
    (await isClaimable.call(tx, { agentId: to.ownerId })))

const withinDay = async (tx: Tx, total: Omit<Parameters<typeof addToDayTotal>[0], 'now'>): Promise<boolean> =>
  (await tx.maybe(addToDayTotal({ ...total, now: tx.now }))) !== undefined

/** Whether an admin moves no more than `limit` (micro-units) today with this amount, which then counts. */
export const isWithinAdminLimit = (
  tx: Tx,
  total: { accountId: string; amount: bigint; limit: bigint },
): Promise<boolean> => withinDay(tx, { ...total, kind: 'admin' })

/** What an approval of a large transfer is called; its payload is the whole order. */
const LARGE_TRANSFER = 'wallet.transfer'

/**
 * Transfers between any two wallets, by an admin with a reason, which the audit log records. 403 without a fresh
 * proof. Beyond `limit` (micro-units) a day for each admin nothing moves: the transfer waits for another admin.
 */
export async function adminTransfer(
  tx: Tx,
  ctx: RequestContext,
  input: Order & { fromWalletId: string; reason: string },
  limit: bigint,
) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const { fromWalletId, reason } = input
  const from = await requireWallet(tx, fromWalletId)
  const order = { ...input, memo: input.memo ?? reason, author: ctx.principal.accountId }
  const amount = parseAmount(order.amount)
  const to = await receiver(tx, from, order)
  const about = [from.accountId, to.accountId]
  if (!(await isWithinAdminLimit(tx, { accountId: ctx.principal.accountId, amount, limit }))) {
    const payload = {
      fromWalletId,
      toWalletId: to.id,
      amount: formatMoney(amount),
      currency: from.currency,
      memo: order.memo,
      reason,
    }
    const approval = await approvals.requestApproval(tx, ctx, { kind: LARGE_TRANSFER, payload })
    return { wallet: await walletView(tx, from), transaction: null, approval }
  }
  const moved = await move(tx, [from, to], order)
  await audit(tx, ctx, 'wallet.admin_transfer', {
    target: ['wallet', from.id],
    details: {
      fromWalletId,
      toWalletId: to.id,
      amount: String(input.amount),
      reason,
      journalId: moved.transaction.id,
    },
    about,
  })
  return moved
}

/** Executes a transfer that another admin approved, or refuses it as any transfer is refused. */
export async function executeApprovedTransfer(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string>> {
  const { fromWalletId = '', toWalletId, amount = '', memo } = payload
  const from = await requireWallet(tx, fromWalletId)
  const order = { toWalletId, amount, memo, author: requestedBy }
  const to = await receiver(tx, from, order)
  const { transaction } = await move(tx, [from, to], order, `transfer/${approvalId}`)
  await audit(tx, { by: ['admin', approvedBy] }, 'wallet.admin_transfer', {
    target: ['wallet', from.id],
    details: { ...payload, approvalId, requestedBy, journalId: transaction.id },
    about: [requestedBy, from.accountId, to.accountId],
  })
  return { journalId: transaction.id }
}

async function move(
  tx: Tx,
  [from, to]: readonly [Wallet, Wallet],
  order: Signed,
  key = `transfer/${newId()}`,
) {
  const amount = parseAmount(order.amount)
  const [balances] = await Promise.all([
    // All four sub-accounts at once in account order: opposite transfers wait for each other and never deadlock.
    lockBalances(tx, [...subAccounts(from), ...subAccounts(to)], from.currency),
    // Runs when the locks are held: a deletion that emptied the receiver's sub-accounts first has committed by then.
    requireStored(tx, to),
  ])
  await order.beforePosting?.()
  const { account, test } = debitAccountOf(from, amount, balances)
  const { id: journalId } = writeJournal(tx, {
    kind: 'transfer',
    key,
    memo: order.memo,
    author: order.author,
    reference: { fromWalletId: from.id, toWalletId: to.id },
    legs: [{ debit: account, credit: creditAccount(to, test), amount, asset: from.currency }],
  })
  return walletChangedBy(tx, from, journalId)
}

/** The wallet that receives: `found`, if it was looked up already. */
async function receiver(tx: Tx, from: Wallet, order: Order, found?: Wallet): Promise<Wallet> {
  const to = found ?? (await named(tx, from, order))
  if (to.id === from.id) throw apiError(WALLETS.SELF_TRANSFER, { hint: 'Choose another wallet' })
  if (to.currency !== from.currency)
    throw apiError(WALLETS.CURRENCY_MISMATCH, {
      hint: `This wallet holds ${from.currency}, the receiver's ${to.currency}`,
    })
  return to
}

/** The wallet of an order that names nothing but its id. Whether its owner is still there is checked under the lock. */
const walletNamedBy = async (tx: Tx, { toWalletId, toUsername }: Order): Promise<Wallet | undefined> =>
  toWalletId !== undefined && toUsername === undefined && isId(toWalletId)
    ? tx.maybe(walletById(toWalletId))
    : undefined

async function named(tx: Tx, from: Wallet, { toWalletId, toUsername }: Order): Promise<Wallet> {
  if ((toWalletId === undefined) === (toUsername === undefined))
    throw invalid('send either toWalletId or toUsername')
  if (toWalletId !== undefined) return requireReceivingWallet(tx, toWalletId)
  const account = await accountByUsername(tx, toUsername ?? '')
  if (!account) throw apiError(IDENTITY.USER_NOT_FOUND, { hint: `No account has the username ${toUsername}` })
  return (
    (await defaultWallet(tx, 'USER', account.id, from.currency)) ??
    createWallet(tx, {
      ownerType: 'USER',
      ownerId: account.id,
      accountId: account.id,
      currency: from.currency,
    })
  )
}

/** Credit for trying the service, spendable and never withdrawable. Sandbox mode only. Errors: 404 for an unknown wallet or a deleted owner, 400 above the limit of a wallet. */
export async function issueTestCredit(
  tx: Tx,
  ctx: RequestContext,
  input: { walletId: string; amount: number | string; reason: string },
) {
  const amount = parseAmount(input.amount)
  const wallet = await lockToCredit(tx, input.walletId)
  const before = await balanceOf(tx, accounts.testCredit(wallet.id), wallet.currency)
  if (before + amount > MAX_AMOUNT)
    throw apiError(WALLETS.TEST_CREDIT_LIMIT, {
      hint: `a wallet holds at most ${formatMoney(MAX_AMOUNT)} of test credit`,
    })
  const { id: journalId } = await post(tx, {
    kind: 'test_credit',
    key: `test_credit/${newId()}`,
    memo: input.reason,
    author: ctx.principal.accountId,
    reference: { walletId: wallet.id },
    legs: [
      { debit: accounts.testFloat, credit: creditAccount(wallet, true), amount, asset: wallet.currency },
    ],
  })
  await audit(tx, ctx, 'wallet.test_credit', {
    target: ['wallet', wallet.id],
    details: { amount: String(input.amount), reason: input.reason },
    about: [wallet.accountId],
  })
  return walletChangedBy(tx, wallet, journalId)
}
