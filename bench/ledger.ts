/**
 * Journals per second, durable, beside pgbench (TPC-B) on the same PostgreSQL, in turns, from 16 and from 64 callers: three
 * accounts at random, one fee account for all, several journals in a transaction, one wallet for all, and the usual form of
 * several statements with a row for the fee. All callers are of one process, as in the service, and share its connections.
 *   node bench/ledger.ts [--seconds 5] [--rounds 3]      (about five minutes)
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MODULES } from '../server/modules/registry.ts'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { sealLedger } from '#ledger'
import { ServiceClock } from '#platform/kernel/clock'
import { Bindings } from '#platform/kernel/bindings'
import { migrate } from '#platform/kernel/database/migrate'
import { createPool } from '#platform/kernel/database/pool'
import { Db } from '#platform/kernel/db'
import { secretsOf } from '#platform/kernel/secrets'
import { openTpcB } from './deals/tpcb.ts'
import { analyze, prepare, worksOf, type Work } from './ledger/work.ts'

const CALLERS = [16, 64]
/** As the service has (DATABASE_POOL_SIZE). */
const CONNECTIONS = 10
const WARM_UP_SECONDS = 3
const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' } },
})
const [SECONDS, ROUNDS] = [Number(options.seconds), Number(options.rounds)]

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-ledger-'))
const embedded = await startEmbeddedPostgres({ dataDir })
const { url } = embedded
const db = new Db(createPool(url, CONNECTIONS), { clock: new ServiceClock(), bindings: new Bindings() })
try {
  await migrate(url, MODULES)
  await prepare(db)
  for (const callers of CALLERS) await measure(callers)
  const started = performance.now()
  const sealed = await sealLedger(db, secretsOf(randomBytes(32).toString('hex')))
  console.log(`sealing: ${Math.round((sealed / (performance.now() - started)) * 1000)} journals/s`)
} finally {
  await db.pool.end()
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(callers: number): Promise<void> {
  const tpcB = await openTpcB(url, callers)
  const works = worksOf(db)
  const rates = new Map<string, number[]>([tpcB, ...works].map(({ name }) => [name, []]))
  for (const work of works) await rate(work, callers, WARM_UP_SECONDS)
  await analyze(db)
  for (let round = 1; round <= ROUNDS; round++) {
    rates.get(tpcB.name)?.push(await tpcB.run(SECONDS))
    for (const work of works) rates.get(work.name)?.push(await rate(work, callers, SECONDS))
  }
  const peer = median(rates.get(tpcB.name) ?? [])
  const table = [...rates].map(([name, found]) => ({
    [`${callers} callers`]: name,
    'a second': Math.round(median(found)),
    [`of ${tpcB.name}`]: Number((median(found) / peer).toFixed(2)),
    'all rounds': found.map(Math.round).join(' '),
  }))
  console.table(table)
}

/** Journals per second from so many callers. */
async function rate(work: Work, callers: number, seconds: number): Promise<number> {
  const started = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (; performance.now() - started < seconds * 1000; done += work.journals) await work.run()
    }),
  )
  return (1000 * done) / (performance.now() - started)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
