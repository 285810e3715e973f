/**
 * How many deals this machine plays, beside pgbench (TPC-B) on the same PostgreSQL, in turns.
 *   node bench/deals.ts [--clients 16] [--seconds 10] [--rounds 3] [--without-keys] [--profile DIR]
 *
 * A deal has five steps: negotiate, accept, initiate, deliver (inline result), release. Each client has its own buyer and
 * seller and one kept-alive connection, and sends an Idempotency-Key with each request unless --without-keys is given. The
 * ratio is steps per second divided by the transactions per second of pgbench. "by CPU" is the same ratio of CPU time, which
 * says more on a machine that does other work too.
 *
 * Starts its own PostgreSQL and its own service. With DATABASE_URL (an empty database) it uses that server instead.
 * --profile writes a CPU profile of the service into DIR.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { countStatements } from './deals/count.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase, cpuSecondsOfEnded, postmasterOf } from './deals/cpu.ts'
import { openPlayers, play } from './deals/players.ts'
import { quantile } from './gateway/load.ts'
import { startServer, type Server } from './deals/server.ts'
import { openTpcB } from './deals/tpcb.ts'

const STEPS = 5
/** PostgreSQL plans a statement anew for its first five runs on each connection, and the service is compiled as it runs. */
const WARM_UP_SECONDS = 10
const { values: options } = parseArgs({
  options: {
    clients: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    'without-keys': { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
})
const [clients, seconds, rounds] = [options.clients, options.seconds, options.rounds].map(Number) as [
  number,
  number,
  number,
]

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const embedded = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir })
const url = process.env.DATABASE_URL ?? embedded?.url ?? ''
let server: Server | undefined
try {
  const counts = await countStatements(url, join(dataDir, 'service'))
  console.table(counts)
  const tpcB = await openTpcB(url, clients)
  server = await startServer(url, join(dataDir, 'service'), options.profile)
  await measure(server, tpcB)
} finally {
  await server?.stop()
  await embedded?.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(
  { baseUrl, pid }: Server,
  tpcB: { name: string; run(seconds: number): Promise<number> },
): Promise<void> {
  const players = await openPlayers(baseUrl, clients, !options['without-keys'])
  await play(players, WARM_UP_SECONDS)
  const postmaster = await postmasterOf(url)
  const results = []
  for (let round = 1; round <= rounds; round++) {
    const ended = await cpuSecondsOfEnded(postmaster)
    const tps = await tpcB.run(seconds)
    const tpcBCpu = ((await cpuSecondsOfEnded(postmaster)) - ended) / (tps * seconds)
    const before = [await cpuSecondsOf([pid]), await cpuSecondsOfDatabase(url), process.cpuUsage()] as const
    const { deals, elapsed, stepMs } = await play(players, seconds)
    const own = process.cpuUsage(before[2])
    const service = (await cpuSecondsOf([pid])) - before[0]
    const database = (await cpuSecondsOfDatabase(url)) - before[1]
    const client = (own.user + own.system) / 1e6
    const perDeal = (cpuSeconds: number) => Number(((1000 * cpuSeconds) / deals).toFixed(1))
    results.push({
      'deals/s': Number((deals / elapsed).toFixed(1)),
      [`${tpcB.name} tps`]: Math.round(tps),
      'step p99 (ms)': Math.round(quantile(Float64Array.from(stepMs).sort(), 0.99)),
      'steps / tps': Number(((STEPS * deals) / elapsed / tps).toFixed(3)),
      'service CPU ms/deal': perDeal(service),
      'PostgreSQL CPU ms/deal': perDeal(database),
      'client CPU ms/deal': perDeal(client),
      [`${tpcB.name} CPU ms`]: Number((1000 * tpcBCpu).toFixed(2)),
      'by CPU': Number(((STEPS * deals * tpcBCpu) / (service + database + client)).toFixed(3)),
    })
  }
  console.table(results)
  for (const player of players) player.close()
}
