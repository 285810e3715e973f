/**
 * How much memory the service takes under load: deals, model requests (whole responses and streams in turns) and reads at the
 * same time, as many as it answers.
 *   node bench/memory.ts [--minutes 5] [--clients 16] [--warm-up 30]      (at most 12 minutes: sign-ins end after 15)
 *
 * Starts its own PostgreSQL, whose memory is not counted. Resident memory is read each second after the warm-up, in seconds;
 * the quarters of the run show whether it grows.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { LeanClient } from './deals/client.ts'
import { cpuSecondsOf } from './deals/cpu.ts'
import { residentMibOf } from './deals/memory.ts'
import { openPlayers, play, type Player } from './deals/players.ts'
import { load } from './gateway/load.ts'
import { startGateway, startUpstream } from './gateway/targets.ts'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
    'warm-up': { type: 'string', default: '30' },
  },
})
const CLIENTS = Number(options.clients)
const WARM_UP_SECONDS = Number(options['warm-up'])
const SECONDS = Number(options.minutes) * 60
/** Whole responses and streams take turns of that length. */
const TURN_SECONDS = 10

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const embedded = await startEmbeddedPostgres({ dataDir })
const upstream = await startUpstream()
const gateway = await startGateway(upstream, { url: embedded.url, dataDir: join(dataDir, 'service') })
try {
  await measure(await openPlayers(gateway.baseUrl, CLIENTS, true))
} finally {
  await gateway.server.stop()
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
process.exit()

async function measure(players: readonly Player[]): Promise<void> {
  const counts = { deals: 0, 'model requests': 0, reads: 0 }
  const until = performance.now() + (WARM_UP_SECONDS + SECONDS) * 1000
  const working = Promise.all([
    dealUntil(until, players, counts),
    askUntil(until, counts),
    ...players.map(({ agentId }) => readUntil(until, agentId, counts)),
  ])
  const [samples] = await Promise.all([sampleUntil(until), working])
  await print(samples, counts)
  for (const player of players) player.close()
}

async function dealUntil(
  until: number,
  players: readonly Player[],
  counts: { deals: number },
): Promise<void> {
  const { deals } = await play(players, (until - performance.now()) / 1000)
  counts.deals = deals
}

async function askUntil(until: number, counts: { 'model requests': number }): Promise<void> {
  for (let isStream = false; performance.now() < until; isStream = !isStream) {
    const seconds = Math.min(TURN_SECONDS, (until - performance.now()) / 1000)
    const { requests, failures } = await load(gateway, { connections: CLIENTS, seconds, stream: isStream })
    if (failures) throw new Error(`${failures} model requests failed`)
    counts['model requests'] += requests
  }
}

async function readUntil(until: number, agentId: string, counts: { reads: number }): Promise<void> {
  const client = new LeanClient(gateway.baseUrl)
  for (; performance.now() < until; counts.reads++) {
    const { status } = await client.get(`/agents/${agentId}`, '')
    if (status !== 200) throw new Error(`a read answered ${status}`)
  }
  client.close()
}

async function sampleUntil(until: number): Promise<number[]> {
  await sleep(WARM_UP_SECONDS * 1000)
  const samples: number[] = []
  for (; performance.now() < until; await sleep(1000)) samples.push(residentMibOf(gateway.pid))
  return samples
}

function figuresOf(samples: readonly number[]): Record<string, number> {
  const ordered = samples.toSorted((a, b) => a - b)
  const [least, middle, most] = [ordered[0], ordered[ordered.length >> 1], ordered.at(-1)]
  return {
    'least (MiB)': Math.round(least ?? Number.NaN),
    'median (MiB)': Math.round(middle ?? Number.NaN),
    'most (MiB)': Math.round(most ?? Number.NaN),
  }
}

async function print(samples: readonly number[], counts: Record<string, number>): Promise<void> {
  const quarter = Math.ceil(samples.length / 4)
  const rows = [0, 1, 2, 3].map(at => [
    `quarter ${at + 1}`,
    figuresOf(samples.slice(at * quarter, (at + 1) * quarter)),
  ])
  console.table(Object.fromEntries([...rows, ['all', figuresOf(samples)]]))
  const rates = Object.entries(counts).map(
    ([what, count]) => `${Math.round(count / (WARM_UP_SECONDS + SECONDS))} ${what}/s`,
  )
  console.log(
    `${rates.join(', ')}; CPU time of the service ${Math.round(await cpuSecondsOf([gateway.pid]))} s`,
  )
}
