import type { Queryable } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isAccount, nameOf } from './accounts.ts'
import { LEDGER } from './errors.ts'
import {
  accountsWith,
  countAccountsWith,
  journalById,
  type AccountFilter,
  type BalanceRow,
} from './explorer-sql.ts'
import { entriesOf, type Entry } from './statement.ts'

/** Ledger accounts with their balances, by name. Only those that were used. */
export async function listAccounts(q: Queryable, filter: AccountFilter, page: Page) {
  const rows = await q.rows(accountsWith(filter, page))
  const { counted } = await q.one(countAccountsWith(filter, TOTAL_CAP + 1))
  return pageAnswer(rows.map(accountView), counted, page)
}

const accountView = ({ account, asset, balance, freezes }: BalanceRow) => ({
  account,
  // The ledger check reports an account that the chart does not know.
  name: isAccount(account) ? nameOf(account) : account,
  currency: asset,
  balance: formatMoney(BigInt(balance)),
  freezes,
})

/** The entries of one account, newest first. 404 for an account that the chart does not know. */
export async function listEntries(q: Queryable, account: string, page: Page) {
  if (!isAccount(account)) throw apiError(LEDGER.LEDGER_ACCOUNT_NOT_FOUND)
  const { entries, counted } = await entriesOf(q, [account], page)
  return pageAnswer(entries.map(entryView), counted, page)
}

const entryView = ({ journalId, kind, at, asset, amount, balanceAfter, memo, counterparts }: Entry) => ({
  journalId,
  kind,
  at: at.toISOString(),
  amount: formatMoney(amount),
  currency: asset,
  balanceAfter: balanceAfter === null ? null : formatMoney(balanceAfter),
  memo,
  counterparts,
})

/** One journal with its legs. 404 for an unknown id. */
export async function readJournal(q: Queryable, id: string) {
  const row = isId(id) ? await q.maybe(journalById(id)) : undefined
  if (!row) throw apiError(LEDGER.JOURNAL_NOT_FOUND)
  const { kind, key, memo, reference, legs, at, recordedAt, hash, isSealed } = row
  return {
    id,
    kind,
    key,
    memo,
    reference,
    at: at.toISOString(),
    recordedAt: recordedAt.toISOString(),
    hash,
    isSealed,
    legs: legs.map(([debit, credit, currency, amount]) => ({
      debit,
      debitName: nameOf(debit),
      credit,
      creditName: nameOf(credit),
      amount: formatMoney(BigInt(amount)),
      currency,
    })),
  }
}
