import assert from 'node:assert/strict'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Asset } from '#platform/kernel/money'
import type { SqlPart } from '#platform/kernel/sql'
import { chartOf, isGuarded } from './accounts.ts'
import { LEDGER } from './errors.ts'
import { contentHash, contentOf, linesOf, sameLegs, type JournalContent, type Posting } from './posting.ts'
import { insertJournal, insertNewJournal, insertNewJournals, type NewJournal } from './posting-sql.ts'
import * as statements from './sql.ts'

/** A posted journal; `replayed` if an earlier posting with the same key created it. */
export interface Journal {
  id: string
  kind: string
  key: string
  memo: string | null
  reference: Record<string, string>
  at: Date
  replayed: boolean
}

/**
 * Posts one journal: its legs sum to zero by construction and move all balances at once. The same key with the
 * same legs answers the first journal and posts nothing; with other legs it is finding 409. A guarded account that
 * would fall below zero, or a frozen one that would fall, fails in the database with a named constraint
 * (`ledgerConstraints`); that ends the transaction, and the key stays free.
 */
export async function post(tx: Tx, posting: Posting): Promise<Journal> {
  const input = newJournal(posting, tx.now)
  const { journal, memo } = input
  if (!(await tx.maybe(insertJournal(input)))) return replay(tx, journal)
  const { id, kind, key, reference, at } = journal
  return { id, kind, key, memo: memo?.memo ?? null, reference, at, replayed: false }
}

/**
 * Posts one journal with the commit, which fails if it cannot be posted: the caller does not wait. The key must be new,
 * such as that of a release of a locked escrow. `opens` are guarded accounts that this journal opens.
 */
export function writeJournal(tx: Tx, posting: Posting, opens: readonly string[] = []): Journal {
  for (const account of opens)
    assert(isGuarded(account), `ledger: ${account} is not guarded: it needs no opening`)
  const input = newJournal(posting, tx.now)
  const { journal, memo } = input
  tx.write(insertNewJournal(input, opens))
  const { id, kind, key, reference, at } = journal
  return { id, kind, key, memo: memo?.memo ?? null, reference, at, replayed: false }
}

/**
 * Posts several journals with the commit, in one statement, which takes less time than one for each. Their keys must be new. A
 * guarded account must not fall below zero after any of them; a frozen one must not fall by all of them together.
 */
export function writeJournals(tx: Tx, postings: readonly Omit<Posting, 'memo' | 'author'>[]): void {
  const journals = postings.map(posting => newJournal(posting, tx.now).journal)
  if (journals.length) tx.write(insertNewJournals(journals, linesOf(journals)))
}

function newJournal(posting: Posting, at: Date): NewJournal {
  const { content, memo } = contentOf(posting, at)
  return { journal: { ...content, hash: contentHash(content) }, lines: linesOf([content]), memo }
}

async function replay(tx: Tx, content: JournalContent): Promise<Journal> {
  const first = await tx.maybe(statements.journalByKey(content.key))
  assert(
    first,
    `ledger: posting ${content.key} names a guarded account that was never opened (openAccounts): ${content.legs.flat().filter(isOpenable).join(', ')}`,
  )
  if (!sameLegs(first.legs, content.legs))
    throw apiError(LEDGER.POSTING_KEY_REUSED, { details: { key: content.key } })
  const { id, kind, key, memo, reference, at } = first
  return { id, kind, key, memo, reference, at, replayed: true }
}

const isOpenable = (part: string): boolean => part.includes(':') && isGuarded(part)

/** Gives guarded accounts their row at zero, once; others need none. */
export async function openAccounts(
  tx: Tx,
  wanted: readonly { account: string; asset: Asset }[],
): Promise<void> {
  const guarded = wanted.filter(({ account }) => isGuarded(account))
  await tx.run(
    statements.insertBalances(
      guarded.map(({ account }) => account),
      guarded.map(({ asset }) => asset),
    ),
  )
}

/** The balance of a guarded account, which no one else can change before this transaction ends. */
export async function lockBalance(tx: Tx, account: string, asset: Asset): Promise<bigint> {
  const balances = await lockBalances(tx, [account], asset)
  return balances.get(account) ?? 0n
}

/**
 * Several at once, locked in account order, so that callers in any order do not deadlock. With `frozenAsZero` a frozen
 * account counts as empty, for a command that must not fail because of it.
 */
export async function lockBalances(
  tx: Tx,
  accounts: readonly string[],
  asset: Asset,
  how: Locking = {},
): Promise<Map<string, bigint>> {
  const balances = balancesIn(await tx.rows(statements.lockedBalances(accounts, asset)), how)
  for (const account of accounts) requireOpen(account, asset, balances.has(account))
  return balances
}

/** The same of those that are open, of one asset each; `accounts` is a subquery. */
export async function lockBalancesAmong(
  tx: Tx,
  accounts: SqlPart,
  how: Locking = {},
): Promise<Map<string, bigint>> {
  return balancesIn(await tx.rows(statements.lockedBalancesAmong(accounts)), how)
}

interface Locked {
  account: string
  balance: bigint
  frozen: boolean
}
interface Locking {
  frozenAsZero?: boolean
}

const balancesIn = (rows: readonly Locked[], { frozenAsZero = false }: Locking): Map<string, bigint> =>
  new Map(rows.map(({ account, balance, frozen }) => [account, frozen && frozenAsZero ? 0n : balance]))

function requireOpen(account: string, asset: Asset, found: boolean): void {
  assert(chartOf(account).guarded, `ledger: ${account} is not guarded: it has no row to lock or freeze`)
  assert(found, `ledger: account ${account} ${asset} was never opened (openAccounts)`)
}

/** Adds a reason for which an account may not fall; it may still rise. The same reason counts once. */
export async function freezeAccount(tx: Tx, account: string, asset: Asset, reason: string): Promise<void> {
  const row = await tx.maybe(statements.addFreeze(account, asset, reason))
  requireOpen(account, asset, row !== undefined)
}

/** Takes one reason away and answers those that are left: the account is free when there is none. */
export async function unfreezeAccount(
  tx: Tx,
  account: string,
  asset: Asset,
  reason: string,
): Promise<string[]> {
  const row = await tx.maybe(statements.removeFreeze(account, asset, reason))
  requireOpen(account, asset, row !== undefined)
  return row?.freezes ?? []
}
