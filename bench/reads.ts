/**
 * How many simple reads a second (`GET /agents/{id}`, without a credential) the service answers, beside a bare route of the
 * same framework that returns the same object, in turns. Both are processes of their own.
 *   node bench/reads.ts [--connections 16] [--seconds 5] [--rounds 3] [--profile DIR]
 *
 * Starts its own PostgreSQL. --profile writes a CPU profile of the service into DIR.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import fastify from 'fastify'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { LeanClient } from './deals/client.ts'
import { cpuSecondsOf } from './deals/cpu.ts'
import { Player } from './deals/players.ts'
import { startServer } from './deals/server.ts'

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
})
const [CONNECTIONS, SECONDS, ROUNDS] = [options.connections, options.seconds, options.rounds].map(Number) as [
  number,
  number,
  number,
]
const WARM_UP_SECONDS = 3

interface Target {
  name: string
  baseUrl: string
  pid: number
}

if (process.send) await serveBare()
else await main()

/** The limit: a route that returns the object of the first message and does nothing else. */
async function serveBare(): Promise<void> {
  const [agent] = (await once(process, 'message')) as [object]
  const app = fastify()
  app.get('/agents/:id', () => agent)
  process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }))
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-reads-'))
  const embedded = await startEmbeddedPostgres({ dataDir })
  // A process that is not the one of `npm start` would reach the limit of calls from one address.
  const server = await startServer(embedded.url, join(dataDir, 'service'), options.profile)
  const bare = fork(import.meta.filename)
  try {
    const { agentId } = await Player.open(server.baseUrl)
    const path = `/agents/${agentId}`
    await compare(
      [{ name: 'GET /agents/{id}', ...server }, await openBare(bare, server.baseUrl + path)],
      path,
    )
  } finally {
    bare.kill()
    await server.stop()
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function openBare(bare: ChildProcess, url: string): Promise<Target> {
  bare.send((await (await fetch(url)).json()) as object)
  const [baseUrl] = (await once(bare, 'message')) as [string]
  return { name: 'a bare route', baseUrl, pid: bare.pid ?? 0 }
}

async function compare(targets: readonly Target[], path: string): Promise<void> {
  const rows = []
  for (const target of targets) await load(target, path, WARM_UP_SECONDS)
  for (let round = 1; round <= ROUNDS; round++) {
    const rates: number[] = []
    for (const target of targets) {
      const cpu = await cpuSecondsOf([target.pid])
      const { perSecond, p99 } = await load(target, path, SECONDS)
      const used = ((await cpuSecondsOf([target.pid])) - cpu) / (perSecond * SECONDS)
      rates.push(perSecond)
      rows.push({
        round,
        target: target.name,
        'a second': Math.round(perSecond),
        'p99 (ms)': Number(p99.toFixed(2)),
        'CPU (us)': Math.round(1e6 * used),
        ratio: Number(((rates[0] ?? 0) / perSecond).toFixed(2)),
      })
    }
  }
  console.table(rows)
}

async function load({ baseUrl }: Target, path: string, seconds: number) {
  const started = performance.now()
  const times: number[] = []
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new LeanClient(baseUrl)
      for (let at = performance.now(); at - started < seconds * 1000;) {
        const { status } = await client.get(path, '')
        if (status !== 200) throw new Error(`answered ${status}`)
        const now = performance.now()
        times.push(now - at)
        at = now
      }
      client.close()
    }),
  )
  const perSecond = (1000 * times.length) / (performance.now() - started)
  return { perSecond, p99: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0 }
}
