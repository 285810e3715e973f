import ipaddr from 'ipaddr.js'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Queryable } from '../../kernel/db.ts'
import { COMMON, apiError } from '../../kernel/errors.ts'
import { sql } from '../../kernel/sql.ts'

export interface Taken {
  allowed: boolean
  limit: number
  remaining: number
  resetSeconds: number
}

interface Take {
  /** 0 only looks. */
  calls?: 0 | 1
  /** The transaction of the caller, which then locks the window. */
  on?: Queryable
}

/** Exact limits over all instances, in the database: a window opens with its first call and lets `max` through. */
export class Limits {
  readonly #db: Db
  readonly #clock: Clock

  constructor(db: Db, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Counts one call of `key`; a refused one is not counted. */
  async take(
    key: string,
    max: number,
    windowSeconds: number,
    { calls = 1, on = this.#db }: Take = {},
  ): Promise<Taken> {
    const now = this.#clock.real()
    const resetsAt = new Date(now.getTime() + windowSeconds * 1000)
    const row = await on.one(sql<{ count: number; resetsAt: Date }>`
      insert into platform_limit as l (key, count, resets_at) values (${key}, ${calls}, ${resetsAt})
      on conflict (key) do update set
        count = case when l.resets_at <= ${now} then ${calls}::int else least(l.count, ${max}::int) + ${calls}::int end,
        resets_at = case when l.resets_at <= ${now} then excluded.resets_at else l.resets_at end
      returning count, resets_at`)
    // The window may have been opened by a call that came a moment after this one.
    return {
      allowed: row.count <= max,
      limit: max,
      remaining: Math.max(0, max - row.count),
      resetSeconds: Math.min(
        windowSeconds,
        Math.max(1, Math.ceil((row.resetsAt.getTime() - now.getTime()) / 1000)),
      ),
    }
  }

  /** Like `take`, but a call beyond the limit is ApiError 429 with `Retry-After`. */
  async requireQuota(key: string, max: number, windowSeconds: number): Promise<Taken> {
    const taken = await this.take(key, max, windowSeconds)
    if (!taken.allowed) throw limited(taken)
    return taken
  }

  /** Opens a new window for `key`, such as after a right password. */
  async reset(key: string): Promise<void> {
    await this.#db.run(sql`delete from platform_limit where key = ${key}`)
  }

  /** Deletes windows that have ended; housekeeping. */
  async sweep(): Promise<void> {
    await this.#db.run(sql`delete from platform_limit where resets_at <= ${this.#clock.real()}`)
  }
}

/** The headers of the IETF draft for a limit named `name`. */
export const limitHeaders = (name: string, taken: Taken, windowSeconds: number): Record<string, string> => ({
  'RateLimit-Policy': `"${name}";q=${taken.limit};w=${windowSeconds}`,
  RateLimit: `"${name}";r=${taken.remaining};t=${taken.resetSeconds}`,
})

export const limited = (taken: Taken) =>
  apiError(COMMON.RATE_LIMITED, {
    hint: `Try again in ${taken.resetSeconds} s`,
    headers: { 'Retry-After': String(taken.resetSeconds) },
  })

/** Who an address is to a limit: an IPv4 address, mapped or not, or the /64 of an IPv6 one, which one household or server owns. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${new ipaddr.IPv6([...(address as ipaddr.IPv6).parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
