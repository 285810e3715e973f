import type { Journal } from './journal.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const byName = (counts: ReadonlyMap<string, number>): [string, number][] =>
  [...counts].toSorted(([a], [b]) => a.localeCompare(b))

/** The figures of a run, as text. */
export function summaryOf(journal: Journal): string {
  const times = journal.recoveries.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    seconds(times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? 0)
  const points = [...journal.failpoints.values()].reduce((sum, each) => sum + each.size, 0)
  const lines = [
    '',
    ...byName(journal.counts).map(([what, count]) => `${String(count).padStart(8)}  ${what}`),
    '',
    `Failpoints: ${points} points of ${journal.failpoints.size} operations reached; of ${journal.complete.size} operations all:`,
    ...byName(journal.complete).map(([name, count]) => `${String(count).padStart(8)}  ${name}`),
    `A server is ready again after ${at(0.5)} (median), ${at(0.95)} (95 %), ${at(1)} (longest), PostgreSQL after at most ${seconds(journal.longestStartMs)}`,
    `Longest time in which no request was answered while some waited: ${seconds(journal.longestSilence.ms)}; its faults: ${journal.longestSilence.faults}`,
    '',
    ...[...journal.findings].map(([text, times]) => `FINDING (${times} times) ${text}`),
    `${journal.findings.size} findings`,
  ]
  return lines.join('\n')
}
