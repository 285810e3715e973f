import type { Pool } from 'undici'
import type { Deadlines } from './deadline.ts'
import { Exchange } from './exchange.ts'

export interface HttpRequest extends Deadlines {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

export type HttpResponse = Pick<Exchange, 'status' | 'header' | 'body' | 'parts'>

const CONNECT_MS = 10_000
const MAX_CONNECTIONS = 512
/** Of one answer in bytes. */
const MAX_RESPONSE = 64 * 1024 * 1024

/** HTTP to the providers: a pool of connections for each origin. Redirects are not followed. */
export class HttpTransport {
  readonly #pools = new Map<string, Promise<Pool>>()
  /** The addresses of the providers' APIs: few, and the same for all requests. */
  readonly #targets = new Map<string, { origin: string; path: string }>()
  readonly #limit: number

  constructor(limit = MAX_RESPONSE) {
    this.#limit = limit
  }

  /** Sends a POST; returns when the headers are there. Throws UpstreamFailure, or the reason of the signal. */
  async post({ url, headers, body, ...deadlines }: HttpRequest): Promise<HttpResponse> {
    const { origin, path } = this.#targetOf(url)
    const pool = await this.#poolOf(origin)
    const exchange = new Exchange(deadlines, this.#limit)
    pool.dispatch({ path, method: 'POST', headers, body }, exchange)
    return exchange.opened.promise
  }

  async close(): Promise<void> {
    const pools = await Promise.all(this.#pools.values())
    this.#pools.clear()
    await Promise.all(pools.map(pool => pool.destroy()))
  }

  #targetOf(url: string): { origin: string; path: string } {
    const known = this.#targets.get(url)
    if (known) return known
    const { origin, pathname, search } = new URL(url)
    const target = { origin, path: pathname + search }
    this.#targets.set(url, target)
    return target
  }

  /** undici is loaded with the first call: the service starts without it. */
  #poolOf(origin: string): Promise<Pool> {
    const known = this.#pools.get(origin)
    if (known) return known
    const pool = import('undici').then(
      ({ Pool }) =>
        new Pool(origin, {
          connections: MAX_CONNECTIONS,
          allowH2: false,
          headersTimeout: 0,
          bodyTimeout: 0,
          connect: { timeout: CONNECT_MS },
        }),
    )
    this.#pools.set(origin, pool)
    return pool
  }
}
