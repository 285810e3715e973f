import type { Queryable } from '#platform/kernel/db'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import type { Asset } from '#platform/kernel/money'
import { chart, isGuarded, nameOf, type ChartRow } from './accounts.ts'
import * as statements from './sql.ts'

/** One movement of one account; `amount` is signed as the account sees it: + arrives, - leaves. */
export interface Entry {
  journalId: string
  kind: string
  at: Date
  account: string
  asset: Asset
  amount: bigint
  /** Null for unguarded accounts. */
  balanceAfter: bigint | null
  memo: string | null
  reference: Record<string, string>
  /** Names of the accounts that the money came from or went to. */
  counterparts: string[]
  hash: string
}

/** One leg of a journal, as it was posted. */
export interface PostedLeg {
  journalId: string
  kind: string
  key: string
  at: Date
  debit: string
  credit: string
  asset: Asset
  amount: bigint
  memo: string | null
  reference: Record<string, string>
  hash: string
}

export type TrialRow = Pick<ChartRow, 'code' | 'name' | 'kind'> & {
  asset: Asset
  /** How many accounts of this code have a balance row or a rollup. */
  accounts: number
  /** Credit-positive: assets and expenses are below zero. */
  balance: bigint
}

// Only the ledger check can meet one: postings refuse accounts that the chart does not know.
const UNKNOWN = { name: 'not in the chart', kind: 'asset' } as const

/** The balance of any account; 0 for one that was never used. Read without a lock: use `lockBalance` before a posting. */
export async function balanceOf(q: Queryable, account: string, asset: Asset): Promise<bigint> {
  return (await balancesOf(q, [account], asset)).get(account) ?? 0n
}

/** Balances of several accounts; every account asked for is in the answer. */
export async function balancesOf(
  q: Queryable,
  accounts: readonly string[],
  asset: Asset,
): Promise<Map<string, bigint>> {
  const balances = new Map(accounts.map(account => [account, 0n]))
  const guarded = accounts.filter(account => isGuarded(account))
  const unguarded = accounts.filter(account => !isGuarded(account))
  const rows = [
    ...(guarded.length ? await q.rows(statements.guardedBalances(guarded, asset)) : []),
    ...(unguarded.length ? await q.rows(statements.unguardedBalances(unguarded, asset)) : []),
  ]
  for (const row of rows) balances.set(row.account, BigInt(row.balance))
  return balances
}

/** The reasons for which an account is frozen; empty when it is not. */
export async function freezesOf(q: Queryable, account: string, asset: Asset): Promise<string[]> {
  return (await q.maybe(statements.freezes(account, asset)))?.freezes ?? []
}

/** Balances of guarded accounts, and which of them are frozen; without accounts that were never opened. */
export async function guardedBalancesOf(
  q: Queryable,
  accounts: readonly string[],
  asset: Asset,
): Promise<Map<string, { balance: bigint; isFrozen: boolean }>> {
  const rows = await q.rows(statements.guardedBalances(accounts, asset))
  return new Map(rows.map(({ account, balance, isFrozen }) => [account, { balance, isFrozen }]))
}

/** The movements of some accounts, newest first; `counted` stops one above the cap of every list. */
export async function entriesOf(
  q: Queryable,
  accounts: readonly string[],
  page: Page,
): Promise<{ entries: Entry[]; counted: number }> {
  const rows = await q.rows(statements.entries(accounts, page.limit, page.offset))
  const { counted } = await q.one(statements.countEntries(accounts, TOTAL_CAP + 1))
  return { entries: rows.map(toEntry), counted }
}

/** What one journal did to some accounts, in the order of posting. */
export async function entriesOfJournal(
  q: Queryable,
  accounts: readonly string[],
  journalId: string,
): Promise<Entry[]> {
  return (await q.rows(statements.entriesOfJournal(accounts, journalId))).map(toEntry)
}

/** Where the money of an account went by journals of a kind after one journal: the amounts by account. */
export async function sentSince(
  q: Queryable,
  account: string,
  since: { kind: string; journalId: string },
): Promise<Map<string, bigint>> {
  const rows = await q.rows(statements.sentSince(account, since.kind, since.journalId))
  return new Map(rows.map(row => [row.account, row.amount]))
}

function toEntry(row: statements.EntryRow): Entry {
  const { account, asset, amount, kind, at, memo, reference, hash } = row
  return {
    journalId: row.journalId,
    kind,
    at,
    account,
    asset,
    amount,
    balanceAfter: row.balanceAfter,
    memo,
    reference,
    counterparts: counterparts(row).map(nameOf),
    hash,
  }
}

function counterparts({ legs, account, asset, amount }: statements.EntryRow): string[] {
  const others = legs
    .filter(leg => leg[2] === asset)
    .flatMap(([debit, credit]) => {
      if (amount > 0n) return credit === account ? [debit] : []
      return debit === account ? [credit] : []
    })
  return [...new Set(others)]
}

/** Every leg of every journal that touches an account, oldest first. */
export async function journalsOf(q: Queryable, account: string): Promise<PostedLeg[]> {
  const journals = await q.rows(statements.journalsTouching(account))
  return journals.flatMap(({ id, legs, ...journal }) =>
    legs.map(([debit, credit, asset, amount]): PostedLeg => ({
      journalId: id,
      kind: journal.kind,
      key: journal.key,
      at: journal.at,
      debit,
      credit,
      asset,
      amount: BigInt(amount),
      memo: journal.memo,
      reference: journal.reference,
      hash: journal.hash,
    })),
  )
}

/**
 * Who has a share of one unguarded account: its entries summed by a field of their journals' reference, oldest first.
 * `owner` asks for one value of the field; `counted` stops at `cap`.
 */
export async function referencedSums(
  q: Queryable,
  account: string,
  field: string,
  how: { owner?: string; limit: number; offset: number; cap: number },
): Promise<{ sums: statements.ReferencedSum[]; counted: number }> {
  const sums = await q.rows(statements.sumsByReference(account, field, how))
  const counted = (
    await q.rows(statements.sumsByReference(account, field, { ...how, limit: how.cap, offset: 0 }))
  ).length
  return { sums, counted }
}

/** The balances of all accounts by chart code and asset; each asset sums to zero. */
export async function trialBalance(q: Queryable): Promise<TrialRow[]> {
  return (await q.rows(statements.balancesByCode())).map(row => {
    const { name, kind } = chart.find(entry => entry.code === row.code) ?? UNKNOWN
    return {
      code: row.code,
      name,
      kind,
      asset: row.asset,
      accounts: row.accounts,
      balance: BigInt(row.balance),
    }
  })
}
