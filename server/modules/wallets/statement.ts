import { chartOf, entriesOf, entriesOfJournal, type Entry } from '#ledger'
import type { Queryable } from '#platform/db'
import { pageAnswer, type Page } from '#platform/http/schema'
import { formatMoney } from '#platform/money'
import { bothPurses, isTestPurse } from './wallet.ts'
import type { Wallet } from './sql.ts'

/** One movement of a wallet as its owner reads it; `amount` is positive, `direction` says which way. */
function transactionOf(entry: Entry) {
  const { journalId, kind, account, asset, amount, balanceAfter, counterparts, memo, reference, at } = entry
  return {
    id: journalId, type: kind, status: 'COMPLETED', direction: amount > 0n ? 'IN' : 'OUT', amount: formatMoney(amount < 0n ? -amount : amount), currency: asset,
    test: isTestPurse(account), balanceAfter: balanceAfter === null ? null : formatMoney(balanceAfter),
    counterpart: counterparts.map(nameOf).join(', '), memo, reference, createdAt: at.toISOString(),
  }
}

// "wallet 0198c0de-...", "escrow 0198c0de-...", "card money at the processor".
function nameOf(account: string): string {
  const name = chartOf(account).name.split(':')[0] ?? ''
  const colon = account.indexOf(':')
  return colon < 0 ? name : `${name} ${account.slice(colon + 1)}`
}

/** A page of a wallet's movements in both purses, newest first. */
export async function statementOf(q: Queryable, wallet: Wallet, page: Page) {
  const { entries, counted } = await entriesOf(q, bothPurses(wallet), page)
  return pageAnswer(entries.map(transactionOf), counted, page)
}

/** What one journal did to the wallet; undefined when it did nothing to it. */
export async function transactionOfJournal(q: Queryable, wallet: Wallet, journalId: string) {
  const [entry] = await entriesOfJournal(q, bothPurses(wallet), journalId)
  return entry && transactionOf(entry)
}

/** What a journal of this transaction did to the wallet: its newest movement, while its purses are locked. */
export async function newestTransaction(q: Queryable, wallet: Wallet) {
  const { items } = await statementOf(q, wallet, { limit: 1, offset: 0 })
  const [newest] = items
  if (!newest) throw new Error(`wallet ${wallet.id} has no movement`)
  return newest
}
