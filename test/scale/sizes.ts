import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createTestDatabase } from '#test'
import { countStatements } from '../../bench/deals/count.ts'
import { Player } from '../../bench/deals/players.ts'
import { startServer } from '../../bench/deals/server.ts'
import { onEmbedded } from '../../bin/ci/postgres.ts'

const WARM_UP = 20
const DEALS = 200
/** Longer than the loops that follow a deal (sealing, events) need, and PostgreSQL to count. */
const SETTLED_MS = 5000

interface Counted {
  table: string
  inserted: number
  updated: number
  deleted: number
  bytes: number
}

interface State {
  wal: number
  commits: number
  tables: Map<string, Counted>
}

/** What one deal costs the database: five steps with idempotency keys, and what sealing and notifications add. */
export async function printSizes(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sizes-'))
  await onEmbedded(async url => {
    process.env.SVC_TEST_DATABASE_URL = url
    const database = await createTestDatabase()
    console.table(await countStatements(database.url, folder))
    const server = await startServer(database.url, folder)
    const player = await Player.open(server.baseUrl)
    const play = async (deals: number) => {
      for (let n = 0; n < deals; n++) await player.playDeal((_step, work) => work())
      await sleep(SETTLED_MS)
    }
    await play(WARM_UP)
    const before = await read(database.superuserUrl)
    await play(DEALS)
    const after = await read(database.superuserUrl)
    player.close()
    await server.stop()
    await database.drop()
    print(before, after)
  })
  await rm(folder, { recursive: true, force: true })
}

async function read(url: string): Promise<State> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows = async (text: string) => (await client.query<Record<string, string>>(text)).rows
  const [wal] = await rows("select pg_current_wal_insert_lsn() - '0/0' as bytes")
  const [commits] = await rows(
    'select xact_commit as count from pg_stat_database where datname = current_database()',
  )
  const tables =
    await rows(`select relname as table, n_tup_ins, n_tup_upd, n_tup_del, pg_total_relation_size(relid) as bytes
    from pg_stat_user_tables`)
  await client.end()
  const counted = tables.map(({ table = '', n_tup_ins, n_tup_upd, n_tup_del, bytes }): [string, Counted] => [
    table,
    {
      table,
      inserted: Number(n_tup_ins),
      updated: Number(n_tup_upd),
      deleted: Number(n_tup_del),
      bytes: Number(bytes),
    },
  ])
  return { wal: Number(wal?.bytes), commits: Number(commits?.count), tables: new Map(counted) }
}

function print(before: State, after: State): void {
  const perDeal = (key: 'inserted' | 'updated' | 'deleted' | 'bytes', table: string) =>
    ((after.tables.get(table)?.[key] ?? 0) - (before.tables.get(table)?.[key] ?? 0)) / DEALS
  const rows = [...after.tables.keys()]
    .map(table => ({
      table,
      inserted: perDeal('inserted', table),
      updated: perDeal('updated', table),
      deleted: perDeal('deleted', table),
      bytes: Math.round(perDeal('bytes', table)),
    }))
    .filter(({ inserted, updated }) => inserted + updated >= 0.05)
    .toSorted((a, b) => b.inserted + b.updated - (a.inserted + a.updated))
  console.table(rows)
  const sum = (key: 'inserted' | 'updated' | 'deleted' | 'bytes') =>
    rows.reduce((total, row) => total + row[key], 0)
  console.log(
    `For each of ${DEALS} deals: ${(after.wal - before.wal) / DEALS} bytes of WAL without full pages, ` +
      `${(after.commits - before.commits) / DEALS} transactions, ${sum('inserted').toFixed(1)} rows inserted, ` +
      `${sum('updated').toFixed(1)} updated, ${sum('deleted').toFixed(1)} deleted, ${Math.round(sum('bytes'))} bytes of storage`,
  )
}
