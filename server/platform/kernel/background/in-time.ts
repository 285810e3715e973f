import { setTimeout as sleep } from 'node:timers/promises'

/** What `work` gives, or an error of the name TimeoutError after `ms`, also if `work` never ends. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const ended = new AbortController()
  const late = sleep(ms, undefined, { signal: ended.signal }).then(() => {
    throw Object.assign(new Error('too late'), { name: 'TimeoutError' })
  })
  try {
    return await Promise.race([work, late])
  } finally {
    ended.abort()
    late.catch(() => undefined)
    work.catch(() => undefined)
  }
}
