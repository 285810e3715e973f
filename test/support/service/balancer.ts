import assert from 'node:assert/strict'
import { Agent, createServer, request as forward } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** On a busy machine a process that is ready may answer late. */
const CHECK_TIMEOUT_MS = 5000

interface Upstream {
  baseUrl: string
  isReady: boolean
  /** It said that it stops, or it has stopped. */
  isLeaving: boolean
  requests: number
}

/** Headers of one connection, which are not passed on (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set(['connection', 'keep-alive'])

/**
 * A reverse proxy that gives requests to services in turn, as Caddy and nginx do: over connections that it keeps, and only to
 * those whose `/readyz` answered 200 last; if no process is ready, to all that are not about to stop. It never sends a request twice: one that a service loses fails with 502.
 */
export class Balancer {
  readonly #upstreams: Upstream[] = []
  readonly #agent = new Agent({ keepAlive: true })
  readonly #server = createServer((request, response) => this.#handle(request, response))
  readonly #checking: NodeJS.Timeout | undefined
  #turn = 0

  /** Without `checkEveryMs` every service counts as ready. */
  private constructor(checkEveryMs?: number) {
    if (checkEveryMs) this.#checking = setInterval(() => this.#checkAll(), checkEveryMs).unref()
    // A client's connection outlives a pause of the client.
    this.#server.keepAliveTimeout = 0
  }

  static async open(options: { port?: number; checkEveryMs?: number } = {}): Promise<Balancer> {
    const balancer = new Balancer(options.checkEveryMs)
    await new Promise<void>(resolve => balancer.#server.listen(options.port ?? 0, '127.0.0.1', resolve))
    return balancer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Requests that each service was given, in the order of `add`. */
  get shares(): number[] {
    return this.#upstreams.map(({ requests }) => requests)
  }

  add(baseUrl: string): void {
    this.#upstreams.push({ baseUrl, isReady: true, isLeaving: false, requests: 0 })
  }

  async close(): Promise<void> {
    clearInterval(this.#checking)
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
    this.#agent.destroy()
  }

  #checkAll(): void {
    for (const upstream of this.#upstreams) void check(upstream)
  }

  #next(): Upstream | undefined {
    const ready = this.#upstreams.filter(({ isReady }) => isReady)
    const usable = ready.length ? ready : this.#upstreams.filter(({ isLeaving }) => !isLeaving)
    return usable[this.#turn++ % usable.length]
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const upstream = this.#next()
    if (!upstream) return fail(response, 503, 'no service is ready')
    upstream.requests++
    const onward = forward(
      upstream.baseUrl + request.url,
      { method: request.method, headers: passedOn(request.rawHeaders), agent: this.#agent },
      answer => {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOn(answer.rawHeaders))
        response.flushHeaders()
        answer.pipe(response)
        answer.on('error', () => response.destroy())
      },
    )
    onward.on('error', error => {
      if (response.headersSent) return void response.destroy()
      fail(response, 502, `${upstream.baseUrl}: ${error.message}`)
    })
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }
}

async function check(upstream: Upstream): Promise<void> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS)
  try {
    const answer = await fetch(`${upstream.baseUrl}/readyz`, { signal, headers: { connection: 'close' } })
    const { status } = (await answer.json()) as { status: string }
    upstream.isReady = answer.ok
    upstream.isLeaving = status === 'stopping'
  } catch (error) {
    upstream.isReady = false
    upstream.isLeaving ||= !signal.aborted && error instanceof TypeError
  }
}

/** An answer of the balancer itself. */
function fail(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ balancer: message })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, 'retry-after': '1' }).end(body)
}

function passedOn(rawHeaders: readonly string[]): string[] {
  assert.ok(rawHeaders.length % 2 === 0)
  return rawHeaders.filter((_, at) => !OF_CONNECTION.has(rawHeaders[at - (at % 2)]?.toLowerCase() ?? ''))
}
