import type { TestEvent } from 'node:test/reporters'
import { readProcessorTimes } from './processor.ts'

export interface Totals {
  passed: number
  failed: number
  skipped: number
}

export interface Failure {
  test: string
  /** The test file; null where the group itself failed. */
  file: string | null
  message: string
}

export interface FileTime {
  file: string
  seconds: number
  /** Of the group's process and its ended children while the file ran; null where the group printed none. */
  processor: number | null
}

/** What a group of test files came to. */
export interface Outcome extends Totals {
  failures: Failure[]
  times: FileTime[]
  /** Processor seconds of the group's process and its children; null where it printed none. */
  processor: number | null
}

/** Counts the events of a group; `title` passes or fails at its end. A suite is reported after its tests. */
export function outcomeOf(events: readonly TestEvent[], title: string, files: readonly string[]): Outcome {
  const used = readProcessorTimes(printedIn(events))
  const processor = used.get(title) ?? null
  const outcome: Outcome = { passed: 0, failed: 0, skipped: 0, failures: [], times: [], processor }
  let counted = 0
  let hasPassed = false
  for (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    if (event.type === 'test:pass') countPass(event, outcome)
    else countFailure(event, outcome)
    const { name, details } = event.data
    if (files.includes(name)) {
      for (; counted < outcome.failed; counted++) place(outcome.failures[counted], name)
      outcome.times.push({
        file: name,
        seconds: details.duration_ms / 1000,
        processor: used.get(name) ?? null,
      })
    }
    if (name === title) hasPassed = event.type === 'test:pass'
  }
  if (!hasPassed && !outcome.failed) fail(outcome, title, 'the process ended early')
  return outcome
}

const printedIn = (events: readonly TestEvent[]): string =>
  events.map(event => (event.type === 'test:stdout' ? event.data.message : '')).join('')

function countPass({ data }: Extract<TestEvent, { type: 'test:pass' }>, outcome: Outcome): void {
  if (data.details.type === 'suite') return
  if (data.skip !== undefined || data.todo !== undefined) outcome.skipped++
  else outcome.passed++
}

// A suite fails with its tests. A file that does not load, or a hook such as the ledger check, counts itself.
function countFailure({ data }: Extract<TestEvent, { type: 'test:fail' }>, outcome: Outcome): void {
  const { type, error } = data.details
  const isOfTests = 'failureType' in error && error.failureType === 'subtestsFailed'
  if (type !== 'suite' || !isOfTests) fail(outcome, data.name, String(error.cause ?? error.message))
}

function fail(outcome: Outcome, test: string, message: string): void {
  outcome.failed++
  outcome.failures.push({ test, file: null, message })
}

function place(failure: Failure | undefined, file: string): void {
  if (failure) failure.file = file
}

/** Proofs about money and races: a failure of one is never a matter of chance. */
const PROOFS = /^test\/(properties|races)\//
const BOOKS = /ledger check|books|trial balance/i

/**
 * The files to run again, alone, after all others (ADR 21): those of the failed tests, unless one of them is a proof, or the
 * group itself failed.
 */
export function filesToRepeat({ failures }: Outcome): string[] {
  const files = failures.map(({ file }) => file)
  const isFinal = failures.some(
    ({ test, file, message }) =>
      file === null || PROOFS.test(file) || BOOKS.test(test) || BOOKS.test(message),
  )
  return isFinal ? [] : [...new Set(files.filter(file => file !== null))]
}
