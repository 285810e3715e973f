/**
 * What the service takes while nobody calls it: processor time of its process and of its connections to the database.
 *   node bench/idle.ts [--seconds 60]
 *
 * Starts its own PostgreSQL and its own service. The first 30 seconds are not counted: each connection plans a statement
 * anew for its first runs.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { cpuSecondsOf, cpuSecondsOfDatabase } from './deals/cpu.ts'
import { startServer } from './deals/server.ts'

const WARM_UP_MS = 30_000
const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })
const seconds = Number(options.seconds)

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
// For root PostgreSQL runs as another user, which must be able to enter.
await chmod(dataDir, 0o755)
const embedded = await startEmbeddedPostgres({ dataDir })
const server = await startServer(embedded.url, join(dataDir, 'service'))
try {
  await sleep(WARM_UP_MS)
  const before = await usedSeconds()
  await sleep(seconds * 1000)
  const after = await usedSeconds()
  const share = (from: number, to: number) => `${(((to - from) / seconds) * 100).toFixed(2)} % of a core`
  console.table({
    service: share(before.service, after.service),
    database: share(before.database, after.database),
  })
} finally {
  await server.stop()
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
process.exit()

async function usedSeconds(): Promise<{ service: number; database: number }> {
  return {
    service: await cpuSecondsOf([server.pid]),
    database: await cpuSecondsOfDatabase(embedded.url),
  }
}
