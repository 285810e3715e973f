import { accounts, openAccounts, post, writeJournal, writeJournals } from '#ledger'
import type { Db, Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import type { Leg } from '#platform/kernel/money'
import { sql } from '#platform/kernel/sql'

const WALLETS = 2000
/** Journals of one transaction, as a run of payouts or of fees posts them. */
const GROUP = 10

const wallets = Array.from({ length: WALLETS }, () => accounts.wallet(newId()))
const [HOT = ''] = wallets

/** So many different wallets, none of them the hot one. */
function pick(count: number): string[] {
  const picked = new Set<string>()
  while (picked.size < count) picked.add(wallets[1 + Math.floor(Math.random() * (WALLETS - 1))] ?? '')
  return [...picked]
}

/** Funds all wallets and makes the tables of the usual form. */
export async function prepare(db: Db): Promise<void> {
  const asset = 'USD'
  await db.transaction(tx =>
    openAccounts(
      tx,
      wallets.map(account => ({ account, asset })),
    ),
  )
  await db.transaction(tx =>
    post(tx, {
      kind: 'fund',
      key: newId(),
      legs: wallets.map(credit => ({ debit: accounts.processor, credit, amount: 10n ** 12n, asset })),
    }),
  )
  await db.run(sql`create table usual_balance (account text primary key, balance bigint not null)`)
  await db.run(
    sql`insert into usual_balance select account, balance from ledger_balance union all select ${accounts.marketplaceFee}, 0`,
  )
  await db.run(
    sql`create table usual_entry (id uuid primary key, account text not null, amount bigint not null, balance_after bigint, at timestamptz not null)`,
  )
  await db.run(sql`create index on usual_entry (account, id)`)
  await db.run(
    sql`create table usual_journal (id uuid primary key, kind text not null, key text not null unique, at timestamptz not null)`,
  )
}

/** As autovacuum does in a service that has run for a while: plans made for empty tables are slow for full ones. */
export const analyze = (db: Db): Promise<number> => db.run(sql`analyze`)

/** 100 from a wallet: 80 to another one, 20 to the fee account. */
function journal(from: string, to: string, fee: string) {
  const legs: Leg[] = [
    { debit: from, credit: to, amount: 80n, asset: 'USD' },
    { debit: from, credit: fee, amount: 20n, asset: 'USD' },
  ]
  return { kind: 'release', key: newId(), legs }
}

/** The same as most services write it: a statement for each step, correct by row locks, with a row for the fee. */
async function usual(tx: Tx, from: string, to: string): Promise<void> {
  const moves = [
    [from, -100n],
    [to, 80n],
    [accounts.marketplaceFee, 20n],
  ] as const
  await tx.rows(
    sql`select account, balance from usual_balance where account = any(${moves.map(([account]) => account)}) order by account for update`,
  )
  const id = newId()
  await tx.run(sql`insert into usual_journal (id, kind, key, at) values (${id}, 'release', ${id}, ${tx.now})`)
  for (const [account, amount] of moves) {
    const { balance } = await tx.one(
      sql<{
        balance: bigint
      }>`update usual_balance set balance = balance + ${amount} where account = ${account} returning balance`,
    )
    await tx.run(
      sql`insert into usual_entry (id, account, amount, balance_after, at) values (${newId()}, ${account}, ${amount}, ${balance}, ${tx.now})`,
    )
  }
}

/** What a caller does again and again; `journals`: how many journals one turn posts. */
export interface Work {
  name: string
  journals: number
  run(): Promise<unknown>
}

export const worksOf = (db: Db): Work[] => {
  const inTransaction = (name: string, write: (tx: Tx) => unknown, journals = 1): Work => ({
    name,
    journals,
    run: () => db.transaction(async tx => void (await write(tx))),
  })
  const release = (tx: Tx) => {
    const [from = '', to = ''] = pick(2)
    writeJournal(tx, journal(from, to, accounts.marketplaceFee))
  }
  return [
    inTransaction('uniform: three wallets', tx => {
      const [from = '', to = '', fee = ''] = pick(3)
      writeJournal(tx, journal(from, to, fee))
    }),
    inTransaction('hot fee: one fee account for all', release),
    inTransaction(
      `grouped: ${GROUP} journals in a transaction`,
      tx => {
        const parties = pick(2 * GROUP)
        const group = Array.from({ length: GROUP }, (_, n) =>
          journal(parties[2 * n] ?? '', parties[2 * n + 1] ?? '', accounts.marketplaceFee),
        )
        writeJournals(tx, group)
      },
      GROUP,
    ),
    inTransaction('hot wallet: all transfers from one wallet', tx => {
      const [to = ''] = pick(1)
      const legs: Leg[] = [{ debit: HOT, credit: to, amount: 1n, asset: 'USD' }]
      writeJournal(tx, { kind: 'transfer', key: newId(), legs })
    }),
    inTransaction('usual form: eight statements, a fee row', tx => {
      const [from = '', to = ''] = pick(2)
      return usual(tx, from, to)
    }),
  ]
}
