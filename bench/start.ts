/**
 * How long `npm start` takes on an existing database, and how much memory the idle process has.
 *   node bench/start.ts [--starts 5] [--idle 10]      (seconds of idling before memory is read; about 2 minutes)
 *
 * Runs the start script of package.json in sandbox mode with the embedded PostgreSQL, whose processes are not counted. The
 * first start makes the database, unpacks the browser and compiles the code; it is not part of the figures. Time is from the spawn to the ready line.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '#test'
import { residentMibOf } from './deals/memory.ts'

const ROOT = join(import.meta.dirname, '..')
const MIB = 1024 * 1024
/** Enough to unpack the browser, which takes 60 MB that the process keeps. */
const FIRST_IDLE_SECONDS = 20
const { values: options } = parseArgs({
  options: { starts: { type: 'string', default: '5' }, idle: { type: 'string', default: '10' } },
})

interface Sample {
  'start (ms)': number
  'resident (MiB)': number
  'heap used (MiB)': number
}

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
// For root PostgreSQL runs as another user, which must be able to enter.
await chmod(dataDir, 0o755)
try {
  const script = await startScript()
  await measure(script, FIRST_IDLE_SECONDS)
  const samples: Sample[] = []
  for (let i = 0; i < Number(options.starts); i++) samples.push(await measure(script, Number(options.idle)))
  console.table(samples)
  console.table(median(samples))
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

async function startScript(): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start
}

async function measure(script: string, idleSeconds: number): Promise<Sample> {
  const port = await freePort()
  const started = performance.now()
  const child = spawn('sh', ['-c', script], {
    cwd: ROOT,
    env: {
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
      PORT: String(port),
      SVC_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await ready(child)
  const ms = performance.now() - started
  await sleep(idleSeconds * 1000)
  const resident = residentMibOf(child.pid ?? 0)
  const heapBytes = valueOf(await metrics(port), 'nodejs_heap_size_used_bytes')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return {
    'start (ms)': Math.round(ms),
    'resident (MiB)': Math.round(resident),
    'heap used (MiB)': Math.round(heapBytes / MIB),
  }
}

/** Resolves with the line that greets the operator. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    process.once('exit', () => child.kill('SIGKILL'))
    child.once('exit', code => reject(new Error(`the service ended with ${code}`)))
    child.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.includes('svc is ready')) resolve()
    })
  })
}

async function metrics(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

function valueOf(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

function median(samples: readonly Sample[]): Partial<Record<keyof Sample, number>> {
  const names = Object.keys(samples[0] ?? {}) as (keyof Sample)[]
  return Object.fromEntries(
    names.map(name => [name, samples.map(each => each[name]).sort((a, b) => a - b)[samples.length >> 1]]),
  )
}
