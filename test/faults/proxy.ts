import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What happens to a request: `pass`; `refuse` ends the connection before the service sees it; `lose` lets the service answer
 * and ends the connection instead of the response; `cut` ends it within the body; a number is the status of a response
 * that the service did not write, with `Retry-After: 1` for 429.
 */
export type Fate = 'pass' | 'refuse' | 'lose' | 'cut' | 429 | 503

export interface SeenRequest {
  operation: string
  key: string | undefined
  fate: Fate
}

/** An HTTP proxy in front of a service that breaks connections as planned. */
export class UnreliableProxy {
  readonly seen: SeenRequest[] = []
  #fates: Fate[] = []
  #isBroken: (request: IncomingMessage) => boolean = () => true
  readonly #target: URL
  readonly #server

  private constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((request, response) => this.#handle(request, response))
  }

  static async open(target: string): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(target)
    await new Promise<void>(resolve => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The next requests to `path` (all, by default) meet these fates, the ones after them pass. */
  plan(fates: Fate[], path?: RegExp): void {
    this.#fates = [...fates]
    this.#isBroken = ({ url = '' }) => !path || path.test(url)
    this.seen.length = 0
  }

  /** Ends every open connection, such as streams. */
  cutAll(): void {
    this.#server.closeAllConnections()
  }

  async close(): Promise<void> {
    this.cutAll()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const fate = this.#isBroken(request) ? (this.#fates.shift() ?? 'pass') : 'pass'
    const key = request.headers['idempotency-key']
    this.seen.push({
      operation: `${request.method} ${request.url}`,
      key: key ? String(key) : undefined,
      fate,
    })
    if (fate === 'refuse') return void request.socket.destroy()
    if (typeof fate === 'number') {
      request.resume()
      response.writeHead(fate, fate === 429 ? { 'retry-after': '1' } : {}).end('not the service')
      return
    }
    const { hostname, port } = this.#target
    const headers = { ...request.headers, host: this.#target.host }
    const onward = forward({ hostname, port, path: request.url, method: request.method, headers }, answer => {
      if (fate === 'lose') {
        // The whole answer: what it says has been done.
        answer.resume().on('end', () => request.socket.destroy())
      } else if (fate === 'cut') {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.once('data', (chunk: Buffer) => {
          response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => request.socket.destroy())
        })
      } else {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      }
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }
}
