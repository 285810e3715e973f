/**
 * What deals do while reads overload the service: 8 clients play deals, beside as many readers as the service serves without
 * a refusal, and beside ten times as many. Readers search agents and wait as Retry-After says when they are refused.
 *   node bench/overload.ts [--readers 48] [--seconds 10]      (about a minute)
 *
 * Starts its own PostgreSQL. Load generator and service share the machine.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { LeanClient } from './deals/client.ts'
import { residentMibOf } from './deals/memory.ts'
import { openPlayers, type Player } from './deals/players.ts'
import { startServer } from './deals/server.ts'

const { values: options } = parseArgs({
  options: { readers: { type: 'string', default: '48' }, seconds: { type: 'string', default: '10' } },
})
const [READERS, SECONDS] = [Number(options.readers), Number(options.seconds)]
const PLAYERS = 8
/** The middle of what Retry-After says. */
const RETRY_MS = 2000
const WARM_UP_SECONDS = 3

interface Reads {
  answered: number
  refused: number
  other: number
}

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-overload-'))
const embedded = await startEmbeddedPostgres({ dataDir })
const server = await startServer(embedded.url, join(dataDir, 'service'))
try {
  const players = await openPlayers(server.baseUrl, PLAYERS, true)
  await measure(players, READERS, WARM_UP_SECONDS)
  const rows = []
  for (const readers of [0, READERS, 10 * READERS]) rows.push(await measure(players, readers, SECONDS))
  console.table(rows)
} finally {
  await server.stop()
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(players: readonly Player[], readers: number, seconds: number) {
  const until = performance.now() + seconds * 1000
  const reads: Reads = { answered: 0, refused: 0, other: 0 }
  const times: number[] = []
  // A step that is refused or fails throws.
  const playing = players.map(async player => {
    while (performance.now() < until)
      await player.playDeal(async (_step, work) => {
        const begun = performance.now()
        const response = await work()
        times.push(performance.now() - begun)
        return response
      })
  })
  await Promise.all([...playing, ...Array.from({ length: readers }, () => read(reads, until))])
  const ordered = times.toSorted((a, b) => a - b)
  const quantile = (share: number) => Math.round(ordered[Math.floor(ordered.length * share)] ?? 0)
  return {
    readers,
    'reads a second': Math.round(reads.answered / seconds),
    'refused (503) a second': Math.round(reads.refused / seconds),
    'other answers': reads.other,
    'deals a second': Number((times.length / 5 / seconds).toFixed(1)),
    'step p50 (ms)': quantile(0.5),
    'step p99 (ms)': quantile(0.99),
    'resident (MiB)': Math.round(residentMibOf(server.pid)),
  }
}

async function read(reads: Reads, until: number): Promise<void> {
  const client = new LeanClient(server.baseUrl)
  while (performance.now() < until) {
    const { status } = await client.get('/agents?search=agent', '')
    if (status === 200) reads.answered++
    else if (status === 503) {
      reads.refused++
      await sleep(RETRY_MS)
    } else reads.other++
  }
  client.close()
}
