import { accountByUsername } from '#identity'
import { accounts, lockBalances, post } from '#ledger'
import { audit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { parseAmount } from '#platform/money'
import { WALLETS } from './faults.ts'
import { newestTransaction } from './statement.ts'
import { walletView } from './view.ts'
import { bothPurses, chooseDebit, createWallet, creditAccount, defaultWallet, demandOwnWallet, demandWallet } from './wallet.ts'
import type { Wallet } from './sql.ts'

interface Order { toWalletId?: string; toUsername?: string; amount: number | string; memo?: string }

/**
 * Moves money from a wallet of the caller to any other of the same currency: test credit when the test purse
 * covers all of it, else real money; never both. Faults: 400 for the same wallet, another currency or
 * `Insufficient balance`, 404 for an unknown receiver.
 */
export async function transfer(tx: Tx, actor: Actor, input: Order & { fromWalletId: string }) {
  const from = await demandOwnWallet(tx, actor, input.fromWalletId)
  return move(tx, from, input)
}

/** The same between any two wallets, by an admin who gives a reason; it stands in the audit log. */
export async function adminTransfer(tx: Tx, actor: Actor, input: Order & { fromWalletId: string; reason: string }) {
  const from = await demandWallet(tx, input.fromWalletId)
  const moved = await move(tx, from, { ...input, memo: input.memo ?? input.reason })
  const { fromWalletId, toWalletId, toUsername, amount, reason } = input
  await audit(tx, {
    action: 'wallet.admin_transfer', actorId: actor.accountId, actorKind: actor.kind, target: 'wallet', targetId: from.id,
    details: { fromWalletId, toWalletId, toUsername, amount: String(amount), reason, journalId: moved.transaction.id },
  })
  return moved
}

async function move(tx: Tx, from: Wallet, order: Order) {
  const amount = parseAmount(order.amount)
  const to = await receiver(tx, from, order)
  if (to.id === from.id) throw fault(WALLETS.SELF_TRANSFER, { hint: 'name another wallet' })
  if (to.currency !== from.currency) throw fault(WALLETS.CURRENCY_MISMATCH, { hint: `this wallet holds ${from.currency}, the receiver's ${to.currency}` })
  // All four purses at once and in account order: opposite transfers wait for each other and never deadlock.
  await lockBalances(tx, [...bothPurses(from), ...bothPurses(to)], from.currency)
  const { account, test } = await chooseDebit(tx, from, amount)
  await post(tx, {
    kind: 'transfer', key: `transfer/${newId()}`, memo: order.memo, reference: { fromWalletId: from.id, toWalletId: to.id },
    legs: [{ debit: account, credit: creditAccount(to, test), amount, asset: from.currency }],
  })
  return { wallet: await walletView(tx, from), transaction: await newestTransaction(tx, from) }
}

async function receiver(tx: Tx, from: Wallet, { toWalletId, toUsername }: Order): Promise<Wallet> {
  if ((toWalletId === undefined) === (toUsername === undefined)) throw invalid('give either toWalletId or toUsername')
  if (toWalletId !== undefined) return demandWallet(tx, toWalletId)
  const account = await accountByUsername(tx, toUsername ?? '')
  if (!account) throw fault(WALLETS.USER_NOT_FOUND, { hint: `nobody is called ${toUsername}` })
  return await defaultWallet(tx, 'USER', account.id, from.currency)
    ?? createWallet(tx, { ownerType: 'USER', ownerId: account.id, accountId: account.id, currency: from.currency })
}

/** Credit for trying the service, spendable and never withdrawable. Sandbox mode only. */
export async function issueTestCredit(tx: Tx, actor: Actor, input: { walletId: string; amount: number | string; reason: string }) {
  const amount = parseAmount(input.amount)
  const wallet = await demandWallet(tx, input.walletId)
  await post(tx, {
    kind: 'test_credit', key: `test_credit/${newId()}`, memo: input.reason, reference: { walletId: wallet.id },
    legs: [{ debit: accounts.testFloat, credit: creditAccount(wallet, true), amount, asset: wallet.currency }],
  })
  await audit(tx, {
    action: 'wallet.test_credit', actorId: actor.accountId, actorKind: actor.kind, target: 'wallet', targetId: wallet.id,
    details: { amount: String(input.amount), reason: input.reason },
  })
  return { wallet: await walletView(tx, wallet), transaction: await newestTransaction(tx, wallet) }
}
