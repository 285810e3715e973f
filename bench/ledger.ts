/**
 * What a posting costs: ours, the usual transaction of several statements, and the limit (one durable update of
 * one row). Each from 1 and from 16 callers, on wallets of their own and with one fee account for all.
 *   DATABASE_URL=postgres://... node bench/ledger.ts        (an empty database; about 15 s)
 */
import { randomBytes } from 'node:crypto'
import { MODULES } from '../server/modules/registry.ts'
import { accounts, openAccounts, post, sealLedger } from '#ledger'
import { ServiceClock } from '#platform/kernel/clock'
import { createPool, Db, type Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { migrate } from '#platform/kernel/database/migrate'
import { Bindings } from '#platform/kernel/bindings'
import { secretsOf } from '#platform/kernel/secrets'
import { sql } from '#platform/kernel/sql'

const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL must name an empty database')
const SECONDS = 2
const CALLERS = [1, 16]
const wallets = Array.from({ length: 2000 }, () => accounts.wallet(newId()))
const pick = (): string => wallets[Math.floor(Math.random() * wallets.length)] ?? ''

const db = new Db(createPool(url), {
  clock: new ServiceClock(),
  bindings: new Bindings(),
})
await migrate(url, MODULES)

async function prepare(): Promise<void> {
  await db.transaction(tx =>
    openAccounts(
      tx,
      wallets.map(account => ({ account, asset: 'USD' })),
    ),
  )
  await db.transaction(tx =>
    post(tx, {
      kind: 'fund',
      key: newId(),
      legs: wallets.map(credit => ({ debit: accounts.processor, credit, amount: 10n ** 12n, asset: 'USD' })),
    }),
  )
  await db.run(sql`create table naive_balance (account text primary key, balance bigint not null)`)
  await db.run(
    sql`insert into naive_balance select account, balance from ledger_balance union all select ${accounts.marketplaceFee}, 0`,
  )
  await db.run(
    sql`create table naive_entry (id uuid primary key, account text not null, amount bigint not null, balance_after bigint, at timestamptz not null)`,
  )
  await db.run(sql`create index on naive_entry (account, id)`)
  await db.run(
    sql`create table naive_journal (id uuid primary key, kind text not null, key text not null unique, at timestamptz not null)`,
  )
  await db.run(sql`analyze`)
}

/** A release: escrow (a wallet here) to seller and fee, three accounts. */
function ours(tx: Tx, from: string, to: string): Promise<unknown> {
  return post(tx, {
    kind: 'release',
    key: newId(),
    legs: [
      { debit: from, credit: to, amount: 80n, asset: 'USD' },
      { debit: from, credit: accounts.marketplaceFee, amount: 20n, asset: 'USD' },
    ],
  })
}

/** The same written as most services do: a statement for each step, correct by row locks, with a row for the fee. */
async function usual(tx: Tx, from: string, to: string): Promise<void> {
  const moves = [
    [from, -100n],
    [to, 80n],
    [accounts.marketplaceFee, 20n],
  ] as const
  await tx.rows(
    sql`select account, balance from naive_balance where account = any(${moves.map(([account]) => account)}) order by account for update`,
  )
  const id = newId()
  await tx.run(sql`insert into naive_journal (id, kind, key, at) values (${id}, 'release', ${id}, ${tx.now})`)
  for (const [account, amount] of moves) {
    const { balance } = await tx.one(
      sql<{
        balance: bigint
      }>`update naive_balance set balance = balance + ${amount} where account = ${account} returning balance`,
    )
    await tx.run(
      sql`insert into naive_entry (id, account, amount, balance_after, at) values (${newId()}, ${account}, ${amount}, ${balance}, ${tx.now})`,
    )
  }
}

const limit = (): Promise<unknown> =>
  db.run(sql`update naive_balance set balance = balance + 1 where account = ${pick()}`)

function inTransaction(work: (tx: Tx, from: string, to: string) => Promise<unknown>): () => Promise<unknown> {
  return () => {
    const [from, to] = [pick(), pick()]
    return from === to ? Promise.resolve() : db.transaction(tx => work(tx, from, to))
  }
}

/** Runs `work` from so many callers for some seconds: how many a second. */
async function rate(work: () => Promise<unknown>, callers: number): Promise<number> {
  const end = performance.now() + SECONDS * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (; performance.now() < end; done++) await work()
    }),
  )
  return done / SECONDS
}

await prepare()
const contenders = {
  'limit: one update of one row': limit,
  'our post: one statement, no fee row': inTransaction(ours),
  'usual: eight statements, a fee row': inTransaction(usual),
}
const table: Record<string, Record<string, string | number>> = {}
const limits = new Map<number, number>()
for (const [name, work] of Object.entries(contenders)) {
  const row: Record<string, string | number> = {}
  for (const callers of CALLERS) {
    const perSecond = await rate(work, callers)
    if (!limits.has(callers)) limits.set(callers, perSecond)
    row[`${callers} callers /s`] = Math.round(perSecond)
    row[`${callers}: of the limit`] =
      `${Math.round((100 * perSecond) / (limits.get(callers) ?? perSecond))} %`
  }
  table[name] = row
}
console.table(table)
const started = performance.now()
const sealed = await sealLedger(db, secretsOf(randomBytes(32).toString('hex')))
console.log(`sealing: ${sealed} journals, ${Math.round((sealed / (performance.now() - started)) * 1000)} /s`)
await db.pool.end()
