import type { Redis } from 'ioredis'
import { SECOND, type Clock } from '../../kernel/clock.ts'
import type { Taken } from './limits.ts'
import type { Log } from '../../adapters/log/log.ts'

/** Adds to the count of a window that opens with the first call; returns the count and the milliseconds left. */
const COUNT = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`

/** After Redis failed to answer, this process counts alone for so long before it asks again: each question may take half a second. */
const AWAY_MS = 2000

/** Beyond this many windows, those that have ended are deleted. */
const MANY = 100_000

/**
 * The limits that every request counts in: too frequent for the database. Exact over all instances with Redis; without it
 * exact within this process. When Redis fails, this process counts alone and says so: a limit is no reason to be down.
 */
export class GeneralLimits {
  readonly #clock: Clock
  readonly #log: Log
  readonly #redis: Promise<Redis> | undefined
  readonly #windows = new Map<string, { count: number; resetsAt: number }>()
  #warned = false
  #askAgainAt = 0
  #sweptAt = 0

  constructor(clock: Clock, log: Log, redisUrl?: string) {
    this.#clock = clock
    this.#log = log
    if (redisUrl) this.#redis = this.#open(redisUrl)
  }

  /** Counts one call of `key`; with `calls` 0 it only looks. */
  async take(key: string, max: number, windowSeconds: number, calls: 0 | 1 = 1): Promise<Taken> {
    const { count, leftMs } = await this.#count(key, windowSeconds * 1000, calls)
    return {
      allowed: count <= max,
      limit: max,
      remaining: Math.max(0, max - count),
      resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
    }
  }

  async close(): Promise<void> {
    const redis = await this.#redis
    redis?.disconnect()
  }

  // Only services with several instances use Redis: its client is loaded for them alone.
  async #open(url: string): Promise<Redis> {
    const { Redis } = await import('ioredis')
    const redis = new Redis(url, {
      lazyConnect: true,
      maxRetriesPerRequest: 1,
      commandTimeout: 500,
      enableOfflineQueue: true,
    })
    redis.on('error', error => this.#warn(error))
    return redis
  }

  async #count(key: string, windowMs: number, calls: number): Promise<{ count: number; leftMs: number }> {
    if (this.#redis && performance.now() >= this.#askAgainAt) {
      // One call tries whether Redis is back; those that come meanwhile do not wait.
      if (this.#warned) this.#askAgainAt = performance.now() + AWAY_MS
      try {
        const redis = await this.#redis
        const [count, leftMs] = (await redis.eval(COUNT, 1, `svc:limit:${key}`, windowMs, calls)) as [
          number,
          number,
        ]
        this.#warned = false
        this.#askAgainAt = 0
        return { count, leftMs }
      } catch (error) {
        this.#askAgainAt = performance.now() + AWAY_MS
        this.#warn(error)
      }
    }
    return this.#countHere(key, windowMs, calls)
  }

  #countHere(key: string, windowMs: number, calls: number): { count: number; leftMs: number } {
    const now = this.#clock.real().getTime()
    if (this.#windows.size > MANY) this.#sweep(now)
    const found = this.#windows.get(key)
    const window = found && found.resetsAt > now ? found : { count: 0, resetsAt: now + windowMs }
    window.count += calls
    if (window.count) this.#windows.set(key, window)
    return { count: window.count, leftMs: window.resetsAt - now }
  }

  // At most once a second: with as many live windows it would cost each call dear.
  #sweep(now: number): void {
    if (now - this.#sweptAt < SECOND) return
    this.#sweptAt = now
    for (const [key, { resetsAt }] of this.#windows) if (resetsAt <= now) this.#windows.delete(key)
  }

  #warn(error: unknown): void {
    if (!this.#warned)
      this.#log.warn({ err: error }, 'Redis does not answer: general limits count in this process alone')
    this.#warned = true
  }
}
