import assert from 'node:assert/strict'
import process from 'node:process'

const PARTS = 16
/** Between linear growth (1) and quadratic growth (16). */
const MOST_GROWTH = 4
/** The clock of a thread has steps of some milliseconds: a shorter time says nothing. In microseconds. */
const LEAST = 10_000
const ATTEMPTS = 3

/**
 * Asserts that the work on a text takes time in proportion to its length: compares the processor time of this thread for
 * a text of `units` with that for 16 texts of a sixteenth, the best of several attempts each.
 */
export function assertLinear(what: string, work: (text: string) => void, unit: string, units: number): void {
  const part = unit.repeat(units / PARTS)
  const whole = part.repeat(PARTS)
  const quickest = { parts: Infinity, whole: Infinity }
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const parts = microsecondsOf(() => {
      for (let at = 0; at < PARTS; at++) work(part)
    })
    quickest.parts = Math.min(quickest.parts, Math.max(LEAST, parts))
    quickest.whole = Math.min(
      quickest.whole,
      microsecondsOf(() => work(whole)),
    )
    if (quickest.whole <= MOST_GROWTH * quickest.parts) return
  }
  assert.fail(`${what}: a text takes ${quickest.whole} us, its ${PARTS} parts ${quickest.parts} us`)
}

function microsecondsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

/**
 * Asserts that the number of fields that `work` reads grows in proportion to the number of rows: compares a hundred rows with
 * four hundred. `watch` wraps rows, so that what is read of them counts.
 */
export function assertLinearReads(
  what: string,
  work: (count: number, watch: <Row extends object>(rows: Row[]) => Row[]) => void,
): void {
  const readsOf = (count: number): number => {
    let reads = 0
    const get = (row: object, field: string | symbol): unknown => {
      reads++
      return Reflect.get(row, field)
    }
    work(count, rows => rows.map(row => new Proxy<typeof row>(row, { get })))
    return reads
  }
  const [few, many] = [readsOf(100), readsOf(400)]
  assert.ok(many < 5 * few, `${what}: ${few} reads for 100 rows, ${many} for 400`)
}
