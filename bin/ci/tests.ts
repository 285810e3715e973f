import { glob, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { installChromium } from '../../server/platform/adapters/browser/chromium.ts'
import { CHROMIUM_CACHE } from '../../test/support/browser/browser.ts'
import { unansweredStatuses } from './answers.ts'
import { groupFiles, type GroupRun } from './groups.ts'
import {
  filesToRepeat,
  outcomeOf,
  type Failure,
  type FileTime,
  type Outcome,
  type Totals,
} from './outcome.ts'
import { onEmbedded } from './postgres.ts'
import { processorLine } from './processor.ts'

/**
 * Files whose result depends on the PostgreSQL server, its locks, its constraints and its plans: run again on a PostgreSQL of
 * this machine, when one answers.
 */
const ALSO_ELSEWHERE =
  /^(server\/modules\/ledger\/(balances|ledger|privileges|property|races|sealing)|server\/platform\/kernel\/(db|machine|background\/timers|database\/migrate)|test\/races\/(ap2|reads))/
/** Twice the cores of a small machine: with three, a third of its time was idle, because tests wait for processes and browsers. */
const PROCESSES = 4
/** Of the slowest group on a machine that is five times as slow: a test or hook that does not end by then fails. */
const GROUP_TIMEOUT_MS = 1_800_000
/** Chance failures in more files are no chance: the run fails. */
const MOST_UNSTABLE = 5
const GROUP = join(import.meta.dirname, 'group.ts')
const TRACKING = join(import.meta.dirname, 'tracking.ts')
/** A group makes much garbage in little time: with the default of 16 MB collecting it takes a sixth of the processor time. */
const YOUNG = '--max-semi-space-size=32'
/** After a hook that did not end in its time the process would stay, and the run would wait for it. */
const END = '--test-force-exit'
/** Options of Node for the process of a group. */
export const GROUP_OPTIONS = ['--import', TRACKING, YOUNG, END]

/** The test files whose path contains one of the parts, all without parts; and the parts that no path contains. */
export async function selectTests(
  parts: readonly string[],
): Promise<{ files: string[]; unmatched: string[] }> {
  const all = await Array.fromAsync(glob(['server/**/*.test.ts', 'test/**/*.test.ts', 'bin/**/*.test.ts']))
  const files = parts.length ? all.filter(file => parts.some(part => file.includes(part))) : all
  return { files, unmatched: parts.filter(part => !all.some(file => file.includes(part))) }
}

/**
 * The test files on an embedded PostgreSQL of its own; and, where one answers on 5432, the money suites again there. A run
 * of all files repeats failed ones, and needs every documented status.
 */
export async function runTests(files: string[], { isAll }: { isAll: boolean }): Promise<Totals> {
  const totals: Totals = { passed: 0, failed: 0, skipped: 0 }
  const folder = await mkdtemp(join(tmpdir(), 'svc-answers-'))
  process.env.SVC_TEST_ANSWERS = folder
  // The code is stripped and compiled once for all processes.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), '.data/test/compiled')
  await unpackBrowser()
  await onEmbedded(async url => {
    // Those elsewhere first: the last groups of the embedded one are short.
    const groups = [
      ...(await groupsElsewhere(files)),
      ...(await groupsOn(url, 'the embedded PostgreSQL', files)),
    ]
    const outcomes = await runGroups(groups, totals)
    printSlowest(outcomes.flatMap(({ outcome }) => outcome.times))
    const processor = outcomes.reduce((sum, { outcome }) => sum + (outcome.processor ?? 0), 0)
    process.stdout.write(`\n${processorLine('the test groups', processor)}`)
    const failed = outcomes.filter(({ outcome }) => outcome.failed)
    // A run of selected files reports each failure at once.
    if (isAll) await repeatAlone(failed, totals)
  })
  if (isAll) await requireEveryStatus(folder, totals)
  await rm(folder, { recursive: true, force: true })
  return totals
}

/** The money suites again on the PostgreSQL of this machine. */
async function groupsElsewhere(files: string[]): Promise<GroupRun[]> {
  const money = files.filter(file => ALSO_ELSEWHERE.test(file))
  const url = process.env.SVC_TEST_POSTGRES ?? 'postgres://postgres@127.0.0.1:5432/postgres'
  const { host } = new URL(url)
  if (await answers(url)) return groupsOn(url, `the PostgreSQL on ${host}`, money)
  if (money.length)
    console.log(
      `No PostgreSQL answers on ${host}: the ${money.length} money suites run on the embedded one alone.`,
    )
  return []
}

const groupsOn = async (url: string, where: string, files: string[]): Promise<GroupRun[]> =>
  (await groupFiles(files)).map(({ name, files }) => ({
    title: `${name}: ${files.length} test files on ${where}`,
    url,
    files,
  }))

/** Counts as one test of the whole run: each domain status that the OpenAPI document names was seen over HTTP. */
async function requireEveryStatus(folder: string, totals: Totals): Promise<void> {
  const missing = await unansweredStatuses(folder)
  if (missing.length) totals.failed++
  else totals.passed++
  console.log(
    missing.length
      ? `\nNo test was answered these documented domain statuses:\n${missing.join('\n')}`
      : '\nEvery documented domain status of every operation was answered in a test.',
  )
}

/** Once for all processes: several at a time would take the machine for seconds. A failure shows where it is used. */
async function unpackBrowser(): Promise<void> {
  await mkdir(CHROMIUM_CACHE, { recursive: true })
  await installChromium({ cacheDir: CHROMIUM_CACHE }).catch((error: Error) => {
    console.log(`The browser of the verifier cannot be used here: ${error.message}`)
  })
}

/** How many of the slowest files a run names. */
const SLOWEST = 15

/** The files that took longest, with the processor time of their process: waiting is the difference. */
function printSlowest(times: readonly FileTime[]): void {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  const lines = slowest.map(
    ({ file, seconds, processor }) => `${inSeconds(seconds)} ${inSeconds(processor)}  ${file}`,
  )
  console.log(`\nThe slowest test files:\n     time processor\n${lines.join('\n')}`)
}

const inSeconds = (seconds: number | null): string => `${seconds?.toFixed(1) ?? '-'} s`.padStart(9)

interface GroupOutcome {
  group: GroupRun
  outcome: Outcome
}

/** Runs the groups in their order, as many at a time as there are processes. */
async function runGroups(groups: GroupRun[], totals: Totals): Promise<GroupOutcome[]> {
  const waiting = groups.values()
  const outcomes: GroupOutcome[] = []
  await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      for (const group of waiting) {
        const outcome = await runGroup(group)
        add(totals, outcome)
        outcomes.push({ group, outcome })
      }
    }),
  )
  return outcomes
}

/** Runs the files of failed tests once more, one group after another (ADR 21). */
async function repeatAlone(failed: readonly GroupOutcome[], totals: Totals): Promise<void> {
  const unstable: Failure[] = []
  for (const { group, outcome } of failed) unstable.push(...(await repeat(group, outcome, totals)))
  if (!unstable.length) return
  const lines = unstable.map(({ test, file, message }) => `- ${test} (${file}): ${message}`)
  console.log(`\nUnstable: failed beside other tests and passed alone (ADR 21).\n${lines.join('\n')}`)
  if (new Set(unstable.map(({ file }) => file)).size > MOST_UNSTABLE) totals.failed += unstable.length
}

/** Runs the files of failed tests again, alone. If all pass, they count as passed, and their failures are returned. */
async function repeat(group: GroupRun, outcome: Outcome, totals: Totals): Promise<Failure[]> {
  const files = filesToRepeat(outcome)
  if (!files.length) return []
  const again = await runGroup({ ...group, title: `once more, alone: ${files.join(', ')}`, files })
  if (again.failed) return []
  totals.failed -= outcome.failed
  totals.passed += outcome.failed
  return outcome.failures
}

function add(totals: Totals, { passed, failed, skipped }: Totals): void {
  totals.passed += passed
  totals.failed += failed
  totals.skipped += skipped
}

async function runGroup({ title, url, files }: GroupRun): Promise<Outcome> {
  const started = performance.now()
  const stream = run({
    files: [GROUP],
    argv: [url, title, ...files],
    execArgv: GROUP_OPTIONS,
    concurrency: 1,
    timeout: GROUP_TIMEOUT_MS,
  })
  const events: TestEvent[] = []
  for await (const event of stream as AsyncIterable<TestEvent>) events.push(event)
  // At once when the group has ended: those of several processes at a time would not be readable.
  const report = await text(Readable.from(events).compose(new spec()))
  console.log(`\n${title} in ${((performance.now() - started) / 1000).toFixed(1)} s\n${report}`)
  return outcomeOf(events, title, files)
}

async function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port || 5432), timeout: 1000 })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
}
