import { entriesOf, entriesOfJournal, ledgerOwners } from '#ledger'
import type { Static } from '#platform/http/type'
import type { Queryable } from '#platform/kernel/db'
import { pageAnswer, type Page } from '#platform/http/schema'
import { formatMoney } from '#platform/kernel/money'
import { cardRefundTotals } from './ports.ts'
import type { Transaction } from './schema.ts'
import { subAccounts, isTestCredit } from './wallet.ts'
import type { Wallet } from './sql.ts'
import { walletView } from './view.ts'

/** One movement of a wallet as its owner reads it; `amount` is positive, `direction` says which way. */
function transactionOf(entry: ledgerOwners.Entry): Static<typeof Transaction> {
  const { journalId, kind, account, asset, amount, balanceAfter, counterparts, memo, reference, at } = entry
  return {
    id: journalId,
    type: kind,
    status: 'COMPLETED',
    ...directed(amount),
    currency: asset,
    test: isTestCredit(account),
    balanceAfter: balanceAfter === null ? null : formatMoney(balanceAfter),
    counterpart: counterparts.join(', '),
    memo,
    reference,
    createdAt: at.toISOString(),
  }
}

/** A page of a wallet's movements in both sub-accounts, newest first. */
export async function statementOf(q: Queryable, wallet: Wallet, page: Page) {
  const { entries, counted } = await entriesOf(q, subAccounts(wallet), page)
  return pageAnswer(entries.map(transactionOf), counted, page)
}

/** The movements of several wallets, newest first, each with its wallet. */
export async function ownerMovements(q: Queryable, wallets: readonly Wallet[], page: Page) {
  const owners = new Map(
    wallets.flatMap(({ id, ...wallet }) => subAccounts({ id, ...wallet }).map(name => [name, id])),
  )
  const { entries, counted } = await entriesOf(q, [...owners.keys()], page)
  const movements = entries.map(entry => ({
    ...transactionOf(entry),
    walletId: owners.get(entry.account) ?? '',
  }))
  return { movements, counted }
}

/** The wallet, and what one journal did to it: undefined if there is no journal, or it did not change the wallet. */
export async function walletAndTransaction(q: Queryable, wallet: Wallet, journalId: string | null) {
  const [view, [entry]] = await Promise.all([
    walletView(q, wallet),
    journalId === null ? [] : entriesOfJournal(q, subAccounts(wallet), journalId),
  ])
  return { wallet: view, transaction: entry && transactionOf(entry) }
}

/** The same after a journal that did change it. Never by looking for its newest movement: a wallet can have any number. */
export async function walletChangedBy(q: Queryable, wallet: Wallet, journalId: string) {
  const { transaction, wallet: view } = await walletAndTransaction(q, wallet, journalId)
  if (!transaction) throw new Error(`journal ${journalId} has no entry of wallet ${wallet.id}`)
  return { wallet: view, transaction }
}

/** Sums of the movements of these wallets: of all of them by period, and of each wallet; with what went back to cards. */
export async function walletTotals(q: Queryable, wallets: readonly Wallet[], how: ledgerOwners.TotalsQuery) {
  const owned = new Map(wallets.flatMap(wallet => subAccounts(wallet).map(name => [name, wallet])))
  const walletIds = wallets.map(({ id }) => id)
  const [{ periods, accounts }, cardRefunds] = await Promise.all([
    ledgerOwners.totalsOf(q, [...owned.keys()], how),
    cardRefundTotals.call(q, { ...how, walletIds }),
  ])
  return {
    unit: how.unit,
    from: how.from.toISOString(),
    timeZone: how.timeZone,
    periods: periods.map(({ period, ...total }) => ({ period, ...totalView(total) })),
    wallets: accounts.map(({ account, ...total }) => {
      const { id: walletId, ownerId } = owned.get(account) ?? { id: '', ownerId: '' }
      return { walletId, ownerId, test: isTestCredit(account), ...totalView(total) }
    }),
    cardRefunds: cardRefunds.map(({ period, amount, asset: currency, count }) => ({
      period,
      amount: formatMoney(amount),
      currency,
      count,
    })),
  }
}

const totalView = ({ kind, asset, amount, count }: ledgerOwners.Total) => ({
  type: kind,
  ...directed(amount),
  currency: asset,
  count,
})

/** An amount as its owner reads it: positive, with its direction. */
const directed = (amount: bigint) =>
  amount > 0n
    ? { direction: 'IN' as const, amount: formatMoney(amount) }
    : { direction: 'OUT' as const, amount: formatMoney(-amount) }
