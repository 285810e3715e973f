/**
 * What the routing gateway adds to a request, beside a TypeScript peer (@portkey-ai/gateway) and a proxy that does nothing,
 * over the same upstream, in turns.
 *   node bench/gateway.ts [--connections 1,4,16,64] [--seconds 5] [--rounds 3] [--only gateway] [--form stream]
 *     [--profile DIR]
 *
 * Every request of the gateway is authenticated, counted, reserved, charged and recorded. Latencies are those above the
 * same requests sent to the upstream directly. Load generator, upstream and all targets share the machine, so that the
 * ratios say more than the rates.
 *
 * Starts its own PostgreSQL; with DATABASE_URL (an empty database) it uses that server. The peer is installed with npm on
 * first use. --profile writes a CPU profile of the service into DIR.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../server/platform/adapters/postgres/embedded.ts'
import { cpuSecondsOf } from './deals/cpu.ts'
import { residentMibOf } from './deals/memory.ts'
import { load, quantile, type Measured, type Target } from './gateway/load.ts'
import { startGateway, startPortkey, startProxy, startUpstream } from './gateway/targets.ts'

const WARM_UP = { connections: 16, seconds: 3 }
const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '1,4,16,64' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    form: { type: 'string' },
    profile: { type: 'string' },
  },
})
/** Whole responses, streams, or both. */
const forms = [false, true].filter(stream => !options.form || stream === (options.form === 'stream'))
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)]

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
const embedded = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir })
const url = process.env.DATABASE_URL ?? embedded?.url ?? ''
const upstream = await startUpstream()
const gateway = await startGateway(upstream, {
  url,
  dataDir: join(dataDir, 'service'),
  ...(options.profile ? { profile: options.profile } : {}),
})
try {
  const others = options.only === 'gateway' ? [] : [await startProxy(upstream), await startPortkey(upstream)]
  await compare([upstream, gateway, ...others])
} finally {
  await gateway.server.stop()
  await embedded?.stop()
  await rm(dataDir, { recursive: true, force: true })
}
process.exit()

async function compare(targets: readonly Target[]): Promise<void> {
  for (const stream of forms) for (const target of targets) await load(target, { ...WARM_UP, stream })
  for (const stream of forms)
    for (const connections of options.connections.split(',').map(Number))
      await compareAt(targets, { connections, stream })
  const memory = targets.map(({ name, pid }) => [name, `${Math.round(residentMibOf(pid))} MiB`])
  console.table(Object.fromEntries(memory))
}

/** The targets take turns; of each, the round with the highest rate counts, which other work disturbed least. */
async function compareAt(
  targets: readonly Target[],
  { connections, stream }: { connections: number; stream: boolean },
): Promise<void> {
  const best = new Map<Target, Measured & { cpuSeconds: number }>()
  for (let turn = 0; turn < rounds; turn++)
    for (const target of targets) {
      const before = await cpuSecondsOf([target.pid])
      const measured = await load(target, { connections, seconds, stream })
      const cpuSeconds = (await cpuSecondsOf([target.pid])) - before
      if (measured.failures) throw new Error(`${target.name}: ${measured.failures} requests failed`)
      if (measured.perSecond > (best.get(target)?.perSecond ?? 0))
        best.set(target, { ...measured, cpuSeconds })
    }
  const of = (name: string) => [...best].find(([target]) => target.name === name)?.[1]
  const direct = of('direct')
  const rows = [...best].map(([{ name }, measured]) => {
    const above = (share: number) =>
      round(quantile(measured.latencies, share) - quantile(direct?.latencies ?? measured.latencies, share))
    const times = (other: Measured | undefined) =>
      other ? Number((measured.perSecond / other.perSecond).toFixed(2)) : null
    return {
      target: name,
      'requests/s': Math.round(measured.perSecond),
      'of bare proxy': times(of('bare proxy')),
      'of portkey': times(of('portkey')),
      'added p50 ms': above(0.5),
      'added p99 ms': above(0.99),
      'CPU µs/request': Math.round((1e6 * measured.cpuSeconds) / measured.requests),
      'first byte p50 ms': round(quantile(measured.firstBytes, 0.5)),
    }
  })
  process.stdout.write(`\n${stream ? 'streams' : 'whole responses'}, ${connections} connections\n`)
  console.table(rows)
}

function round(ms: number): number {
  return Number(ms.toFixed(2))
}
