import assert from 'node:assert/strict'
import process from 'node:process'

const TIMES = 16
/** Between linear growth (16) and quadratic growth (256). */
const MOST_GROWTH = 64
/** Of the small input, against a clock that is too coarse for it: in microseconds. */
const LEAST = 50
const ATTEMPTS = 3

/**
 * Asserts that the work on a text takes time in proportion to its length: compares the processor time of this thread for
 * a text of `units` and for one that is 16 times as long, the best of several attempts each.
 */
export function assertLinear(what: string, work: (text: string) => void, unit: string, units: number): void {
  const [short, long] = [unit.repeat(units / TIMES), unit.repeat(units)]
  const quickest = { short: Infinity, long: Infinity }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    quickest.short = Math.min(quickest.short, Math.max(LEAST, microsecondsOf(work, short)))
    quickest.long = Math.min(quickest.long, microsecondsOf(work, long))
    if (quickest.long <= MOST_GROWTH * quickest.short) return
  }
  assert.fail(`${what}: ${TIMES} times the text takes ${quickest.long} us in place of ${quickest.short} us`)
}

function microsecondsOf(work: (text: string) => void, text: string): number {
  const before = process.threadCpuUsage()
  work(text)
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}
