import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from '../chaos/stage.ts'
import type { Say } from './index.ts'
import { compare, onStage } from './stage.ts'

const MINUTES = Number(process.env.MINUTES ?? 120)
const CLIENTS = 32
const BETWEEN_SAMPLES_MS = 10_000
/** Samples between two comparisons. */
const COMPARE_AFTER = 30
/** Time that passes with each sample, so that deadlines fall due. */
const STEP_SECONDS = 61

/** Growth from the second to the last quarter of a run from which on something is collected without an end. */
const LEAK = { memory: 1.2, descriptors: 1.2 }
const MIB = 2 ** 20

/** One server at one moment; the delay of the event loop is that of 99 % of its turns, in milliseconds. */
interface Sample {
  memory: number
  descriptors: number
  delay: number
}

/** From Prometheus' text. */
async function sampleOf(baseUrl: string): Promise<Sample> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  const read = (name: string): number => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`/metrics has no ${name}`)
    return Number(value)
  }
  return {
    memory: read('process_resident_memory_bytes') / MIB,
    descriptors: read('process_open_fds'),
    delay: read('nodejs_eventloop_lag_p99_seconds') * 1000,
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Medians of the second and of the last quarter, and the largest value. */
function courseOf(samples: readonly Sample[], what: keyof Sample) {
  const values = samples.map(each => each[what])
  const quarter = Math.floor(values.length / 4)
  return {
    before: median(values.slice(quarter, 2 * quarter)),
    after: median(values.slice(-quarter)),
    most: Math.max(...values),
  }
}

async function watch(stage: Stage): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>()
  const until = Date.now() + MINUTES * 60_000
  for (let count = 1; Date.now() < until && !stage.journal.findings.size; count++) {
    await sleep(BETWEEN_SAMPLES_MS)
    for (const server of stage.servers.ready)
      samples.set(server, [...(samples.get(server) ?? []), await sampleOf(server)])
    await stage.passTime(STEP_SECONDS)
    if (count % COMPARE_AFTER) continue
    await compare(stage, false)
    const last = [...samples.values()].map(each => `${Math.round(each.at(-1)?.memory ?? 0)} MiB`)
    console.log(`${stage.journal.of('acknowledged')} requests acknowledged, servers at ${last.join(' and ')}`)
  }
  return samples
}

/** Every kind of work on two servers for hours: nothing is lost, and neither memory nor descriptors grow without an end. */
export const soakMixed = (say: Say): Promise<void> =>
  onStage({ clients: CLIENTS }, async stage => {
    for (const player of stage.players) player.start()
    const samples = await watch(stage)
    await compare(stage, true)
    for (const [index, all] of [...samples.values()].entries())
      for (const what of ['memory', 'descriptors'] as const) {
        const { before, after, most } = courseOf(all, what)
        say(
          `mixed, ${what} of server ${index + 1}`,
          all.length >= 4 && after <= before * LEAK[what],
          `${before.toFixed(0)} in the second quarter, ${after.toFixed(0)} in the last, at most ${most.toFixed(0)}; ${all.length} samples`,
        )
      }
    const delays = [...samples.values()].map(all => courseOf(all, 'delay'))
    const { journal } = stage
    say(
      `mixed, ${MINUTES} minutes of ${CLIENTS} clients`,
      journal.findings.size === 0 && journal.of('acknowledged') > 0,
      `${journal.of('acknowledged')} requests acknowledged, delay of the event loop (p99) ${delays.map(({ after, most }) => `${after.toFixed(0)} ms, at most ${most.toFixed(0)}`).join(' and ')}; ${journal.findings.size} findings`,
    )
  })
