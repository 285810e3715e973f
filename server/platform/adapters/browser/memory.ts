import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession } from 'playwright-core'

const MIB = 1024 * 1024
/** Of one process of the browser; a page has at least one of its own. */
export const PROCESS_MAX = 512 * MIB
/** Of all processes of the browser together. */
const BROWSER_MAX = 1536 * MIB
/** A page fills about 200 MB in this time. */
const EVERY_MS = 100

/**
 * Ends processes of the browser that take too much memory, for as long as it runs: the page of an ended process crashes. Linux
 * alone says what a process takes; elsewhere only the limit of the JavaScript heap holds. That limit is higher: near it a page
 * only gets slow.
 */
export async function watchMemory(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession()
  for (; browser.isConnected(); await sleep(EVERY_MS, undefined, { ref: false })) {
    if (browser.contexts().length > 0) await endLargeProcesses(session)
  }
}

async function endLargeProcesses(session: CDPSession): Promise<void> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const processes = await Promise.all(
    processInfo.map(async ({ id }) => ({ id, bytes: await ownMemoryOf(id) })),
  )
  const largest = processes.reduce((one, other) => (other.bytes > one.bytes ? other : one))
  const total = processes.reduce((sum, { bytes }) => sum + bytes, 0)
  const ended = processes.filter(({ bytes }) => bytes > PROCESS_MAX)
  if (ended.length === 0 && total > BROWSER_MAX) ended.push(largest)
  for (const { id } of ended) endProcess(id)
}

/** Bytes of memory that are the process's alone; 0 where that is unknown. */
async function ownMemoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)].map(([, size]) => Number(size))
  return kilobytes.reduce((sum, size) => sum + size, 0) * 1024
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}
