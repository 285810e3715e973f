import { readFileSync } from 'node:fs'
import process from 'node:process'

/** Of the times in /proc, on every Linux that Node supports. */
const TICKS_PER_SECOND = 100
const LINE = /^Processor time of (.+): (\d+\.\d) s$/gm

/** Processor seconds of this process and, on Linux, of all its children that have ended. */
export function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name in parentheses may hold blanks. Fields 14 to 17 are utime, stime, cutime and cstime.
  const times = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
  return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

/** A line for the runner, which reads it with `readProcessorTimes`. */
export const processorLine = (name: string, seconds: number): string =>
  `Processor time of ${name}: ${seconds.toFixed(1)} s\n`

/** The processor seconds by name in what a process printed. */
export const readProcessorTimes = (printed: string): Map<string, number> =>
  new Map([...printed.matchAll(LINE)].map(([, name = '', seconds]) => [name, Number(seconds)]))
