import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Balancer } from './balancer.ts'
import { freePort } from './port.ts'
import { startServerProcess, type ServerProcess } from './process.ts'

/** Longer than an instance needs to follow the sandbox clock that another one moved. */
const FOLLOW_MS = 700

/** Further processes of the service of a test, behind one balancer with it. */
export interface Others {
  /** Settings that all instances need. */
  env: Record<string, string>
  /** Starts them beside the instance at `first`; returns the address of the balancer. */
  start(first: string, settings: Record<string, string>): Promise<string>
  /** Returns when they have followed the sandbox clock. */
  followClock(): Promise<void>
  close(): Promise<void>
}

/**
 * With SVC_TEST_PROCESSES=4 (`npm run scale -- acceptance`) each service of a test is four instances, which get its requests
 * in turn: the one in the test's process, and three processes. Null without it.
 */
export async function openOthers(env: Record<string, string>): Promise<Others | null> {
  const count = Number(process.env.SVC_TEST_PROCESSES ?? 1)
  // A local chain belongs to one process; in production all use the same node.
  if (count < 2 || env.SVC_CHAIN === 'local') return null
  const balancer = await Balancer.open()
  const processes: ServerProcess[] = []
  const start = async (first: string, settings: Record<string, string>) => {
    balancer.add(first)
    for (let n = 1; n < count; n++) {
      // The unpacked browser of the tests, as the first instance has it.
      const PORT = String(await freePort())
      const started = await startServerProcess({ CHROMIUM_PATH: '', ...settings, PORT })
      processes.push(started)
      balancer.add(started.baseUrl)
    }
    return balancer.url
  }
  return {
    env: { PUBLIC_URL: env.PUBLIC_URL ?? balancer.url },
    start,
    followClock: () => sleep(FOLLOW_MS),
    close: async () => {
      await Promise.all(processes.map(each => each.end('SIGTERM')))
      await balancer.close()
    },
  }
}

/** With SVC_TEST_POOLER=host:port (`npm run scale -- pgbouncer`) the services of tests reach their databases through it. */
export function pooled(databaseUrl: string): { url: string; env: Record<string, string> } {
  const pooler = process.env.SVC_TEST_POOLER
  if (!pooler) return { url: databaseUrl, env: {} }
  const url = new URL(databaseUrl)
  url.search = ''
  url.host = pooler
  return { url: url.href, env: { DATABASE_DIRECT_URL: databaseUrl } }
}
