import type { Dispatcher, Pool } from 'undici'
import { textOf } from '#platform/kernel/unknown'
import { UpstreamFailure } from '../../core/upstream.ts'
import { CallDeadline, type Deadlines } from './deadline.ts'

export interface HttpRequest extends Deadlines {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
}

export interface HttpResponse {
  status: number
  header(name: string): string
  /**
   * The parts of the body as they arrive; the connection waits while none is taken. Leaving the loop closes it. When
   * `isComplete` says so after a part, the rest is read in the background, so that the connection can be used again.
   */
  parts(isComplete?: () => boolean): AsyncGenerator<Buffer>
}

const CONNECT_MS = 10_000
const DRAIN_MS = 1000
const MAX_CONNECTIONS = 512
/** Of one answer in bytes. */
const MAX_RESPONSE = 64 * 1024 * 1024

/** HTTP to the providers: a pool of connections for each origin. Redirects are not followed. */
export class HttpTransport {
  readonly #pools = new Map<string, Promise<Pool>>()
  readonly #limit: number

  constructor(limit = MAX_RESPONSE) {
    this.#limit = limit
  }

  /** Sends a POST; returns when the headers are there. */
  async post(request: HttpRequest): Promise<HttpResponse> {
    const url = new URL(request.url)
    const deadline = new CallDeadline(request)
    try {
      const pool = await this.#poolOf(url.origin)
      const response = await pool.request({
        path: url.pathname + url.search,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        signal: deadline.signal,
      })
      return this.#responseOf(response, deadline)
    } catch (error) {
      deadline.end()
      throw deadline.reason() ?? connectionFailure(error)
    }
  }

  async close(): Promise<void> {
    const pools = await Promise.all(this.#pools.values())
    this.#pools.clear()
    await Promise.all(pools.map(pool => pool.destroy()))
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

  #responseOf(response: Dispatcher.ResponseData, deadline: CallDeadline): HttpResponse {
    const limit = this.#limit
    async function* parts(isComplete = () => false): AsyncGenerator<Buffer> {
      let size = 0
      let isDrained = false
      const body = response.body[Symbol.asyncIterator]()
      try {
        for (let next = await body.next(); !next.done; next = await body.next()) {
          const bytes: Buffer = next.value
          deadline.firstByte()
          size += bytes.length
          if (size > limit) throw new UpstreamFailure('malformed', 'The answer of the provider is too large')
          yield bytes
          if (isComplete()) {
            isDrained = true
            drain(body, deadline)
            return
          }
        }
        isDrained = true
        deadline.end()
      } catch (error) {
        throw deadline.reason() ?? (error instanceof UpstreamFailure ? error : cutFailure(error))
      } finally {
        if (!isDrained) {
          deadline.end()
          response.body.destroy()
        }
      }
    }
    return {
      status: response.statusCode,
      header: name => String(response.headers[name] ?? ''),
      parts,
    }
  }
}

/** Reads what comes after a complete answer, which is the end of the body; a connection that stays open is closed. */
function drain(body: AsyncIterator<unknown>, deadline: CallDeadline): void {
  deadline.shorten(DRAIN_MS)
  const read = async () => {
    while (!(await body.next()).done);
  }
  // The answer is complete: how the connection ends does not matter to it.
  read()
    .catch(() => {})
    .finally(() => deadline.end())
}

/** Texts of network errors hold addresses of the operator; they are the cause, for the log. */
const connectionFailure = (cause: unknown): UpstreamFailure =>
  textOf(cause, 'code') === 'UND_ERR_CONNECT_TIMEOUT'
    ? new UpstreamFailure('timeout', 'The provider could not be reached in time', { cause })
    : new UpstreamFailure('connection', 'The provider could not be reached', { cause })

const cutFailure = (cause: unknown): UpstreamFailure =>
  new UpstreamFailure('cut', 'The answer of the provider broke off', { cause })
