import { chmod, glob, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startEmbeddedPostgres } from '../../server/platform/postgres/embedded.ts'
import { unansweredStatuses } from './answers.ts'

export interface Totals { passed: number; failed: number; skipped: number }

/** Files that prove money and races: run again on a PostgreSQL of this machine, when one answers. */
const ALSO_ELSEWHERE = /^(server\/modules\/ledger|server\/platform\/(db|machine|timers|idempotency)|test\/races)/

/**
 * All test files on an embedded PostgreSQL of its own; then, where one answers on 5432, the money suites again there.
 * Arguments that are no flags select files by a part of their path.
 */
export async function runTests(args: string[]): Promise<Totals> {
  const wanted = args.filter(arg => !arg.startsWith('--'))
  const all = (await Array.fromAsync(glob(['server/**/*.test.ts', 'test/**/*.test.ts', 'bin/**/*.test.ts']))).sort()
  const files = wanted.length ? all.filter(file => wanted.some(part => file.includes(part))) : all
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 }
  const folder = await mkdtemp(join(tmpdir(), 'svc-answers-'))
  process.env.SVC_TEST_ANSWERS = folder
  // Every test file is a process: the code is stripped and compiled once for all.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), '.data/test/compiled')
  await onEmbedded(async url => runFiles('embedded PostgreSQL', url, files, totals))
  const elsewhere = process.env.SVC_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const money = files.filter(file => ALSO_ELSEWHERE.test(file))
  if (await answers(elsewhere)) await runFiles(`the PostgreSQL on ${new URL(elsewhere).host}`, elsewhere, money, totals)
  else console.log(`No PostgreSQL answers on ${new URL(elsewhere).host}: the ${money.length} money suites ran on the embedded one alone.`)
  if (!wanted.length) await demandEveryStatus(folder, totals)
  await rm(folder, { recursive: true, force: true })
  return totals
}

/** Counts as one test of the whole run: each status that the OpenAPI document names was seen over HTTP. */
async function demandEveryStatus(folder: string, totals: Totals): Promise<void> {
  const missing = await unansweredStatuses(folder)
  if (missing.length) totals.failed++
  else totals.passed++
  console.log(missing.length ? `\nNo test was answered these documented statuses:\n${missing.join('\n')}` : '\nEvery documented status of every operation was answered in a test.')
}

async function onEmbedded(act: (url: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-ci-'))
  // Open to the user that root lends PostgreSQL, or its data would go elsewhere and stay there.
  await chmod(dataDir, 0o755)
  const server = await startEmbeddedPostgres({ dataDir })
  try {
    await act(server.adminUrl)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function runFiles(where: string, url: string, files: string[], totals: Totals): Promise<void> {
  console.log(`\n${files.length} test files on ${where}`)
  process.env.SVC_TEST_DATABASE_URL = url
  const stream = run({ files: files.map(file => join(process.cwd(), file)), concurrency: 2, timeout: 300_000 })
  stream.on('test:pass', ({ skip, todo, details }) => {
    if (details.type === 'suite') return
    if (skip !== undefined || todo !== undefined) totals.skipped++
    else totals.passed++
  })
  stream.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') totals.failed++
  })
  const reporter = new spec()
  stream.compose(reporter).pipe(process.stdout, { end: false })
  await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject))
}

async function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port || 5432), timeout: 1000 })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false)).once('timeout', () => end(false))
  })
}
