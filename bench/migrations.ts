// Fills tables of an older schema and runs the later migrations while others read and write:
// npm run bench:migrations -- [--rows N] [--from module/number,module/number]. Exit status 1 if one waited for more than a second.
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startService } from '#app'
import { createLog } from '#platform/adapters/log/log'
import { readConfig } from '#platform/kernel/config'
import { findMigrations, migrate, migrateEmpty } from '#platform/kernel/database/migrate'
import { createTestDatabase, freePort } from '#test'
import { MODULES } from '../server/modules/registry.ts'
import { ADMIN, Player } from './deals/players.ts'
import { fillTable } from './migrations/fill.ts'
import { Probe } from './migrations/probe.ts'

const LIMIT_MS = 1000
const TABLES = [
  'ledger_journal',
  'ledger_entry',
  'ap2_negotiation',
  'ap2_escrow',
  'notifications_event',
  'ap2_escrow_history',
]
/** The migrations of the last version: the first of each module. */
const LATEST = 'ap2/0140,identity/0070,notifications/0005,agents/0130,payouts/0090'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, from: { type: 'string', default: LATEST } },
})
const rows = Number(values.rows)
const firsts = new Map(values.from.split(',').map(first => [first.split('/')[0] ?? '', first]))

/** Rows of each table as a service makes them. */
async function readSeeds(): Promise<Map<string, object[]>> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-migrations-'))
  const port = await freePort()
  const env = {
    PORT: String(port),
    SVC_DATA_DIR: dataDir,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  }
  const { stop } = await startService(
    readConfig({ ...env, LOG_LEVEL: 'error' }),
    database.url,
    createLog('error'),
  )
  const player = await Player.open(`http://127.0.0.1:${port}`)
  for (let deal = 0; deal < 5; deal++) await player.playDeal((_step, work) => work())
  await sleep(1500)
  player.close()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const seeds = new Map<string, object[]>()
  for (const table of TABLES) {
    const found = await client.query<{ row: object }>(`select to_jsonb(t) as row from ${table} t limit 50`)
    seeds.set(
      table,
      found.rows.map(({ row }) => row),
    )
  }
  await client.end()
  await stop()
  await database.drop()
  await rm(dataDir, { recursive: true })
  return seeds
}

const all = await findMigrations(MODULES)
const isLater = (name: string) => name >= (firsts.get(name.split('/')[0] ?? '') ?? '~')
const later = all.filter(({ name }) => isLater(name))
console.log(
  `${cpus().length} cores; ${all.length - later.length} migrations, ${rows} rows in each of ${TABLES.length} tables, then ${later.length} migrations`,
)
const seeds = await readSeeds()
const database = await createTestDatabase({ empty: true })
const client = new pg.Client({ connectionString: database.superuserUrl })
await client.connect()
await client.query('begin')
await client.query(`set local role to ${new URL(database.url).username}`)
await migrateEmpty(
  client,
  all.filter(({ name }) => !isLater(name)),
)
await client.query('commit')
await client.query('set session_replication_role = replica')
await client.query('set synchronous_commit = off')
for (const table of TABLES) {
  const started = performance.now()
  await fillTable(client, table, { seeds: seeds.get(table) ?? [], rows })
  console.log(`${table}: filled in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}
await client.end()

const probe = await Probe.start(database.superuserUrl, TABLES)
await sleep(3000)
const results: { name: string; ms: number; where: string; seconds: number }[] = []
let [name, began] = ['(none)', performance.now()]
const note = (next: string) => {
  const seconds = (performance.now() - began) / 1000
  results.push({ name, ...probe.take(), seconds })
  ;[name, began] = [next, performance.now()]
}
await migrate(database.url, MODULES, step => note(step.name))
note('')
await probe.stop()
await database.drop()
for (const { name, ms, where, seconds } of results)
  console.log(
    `${name.padEnd(40)} ${seconds.toFixed(1).padStart(6)} s   longest wait ${ms.toFixed(0).padStart(6)} ms (${where})`,
  )
process.exit(results.some(({ ms }) => ms > LIMIT_MS) ? 1 : 0)
