import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { PassThrough, pipeline, type Duplex, type Transform } from 'node:stream'
import { createServer, request as httpRequest } from '../../kernel/node/http.ts'
import { type Dialer, EgressRefused } from './dialer.ts'

/** What one page may do through the proxy, and what became of it. */
export interface ProxySession {
  username: string
  password: string
  /** Bytes that it may still send and receive. */
  budget: number
  /** Connections that were not made, by `host:port`, oldest first. */
  refusals: { target: string; refusal: EgressRefused }[]
  overBudget: boolean
  /** Called when the budget is exhausted: an interrupted page would wait for the rest. */
  onOverBudget?: () => void
  /** For own addresses that are open in part: whether this plain-HTTP URL may be fetched. */
  mayFetch: (url: URL) => boolean
}

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * A forward proxy on loopback that only sessions of ours may use: every request of the browser goes
 * through it, and it goes out through the dialer alone.
 */
export class FilterProxy {
  readonly #dialer: Dialer
  readonly #sessions = new Map<string, ProxySession>()
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()
  #port = 0

  constructor(dialer: Dialer) {
    this.#dialer = dialer
    this.#server = createServer(
      (request, response) =>
        void this.#forward(request, response).catch(error => failResponse(response, publicReason(error))),
    )
    this.#server.on(
      'connect',
      (request: IncomingMessage, socket: Socket, head: Buffer) =>
        void this.#tunnel(request, socket, head).catch(error => failSocket(socket, error)),
    )
    this.#server.on('connection', socket => this.#track(socket))
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    this.#server.unref()
    this.#port = (this.#server.address() as AddressInfo).port
    return `http://127.0.0.1:${this.#port}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
  }

  open(budget: number, mayFetch: ProxySession['mayFetch'] = () => true): ProxySession {
    const session: ProxySession = {
      username: randomBytes(9).toString('hex'),
      password: randomBytes(18).toString('hex'),
      budget,
      refusals: [],
      overBudget: false,
      mayFetch,
    }
    this.#sessions.set(`${session.username}:${session.password}`, session)
    return session
  }

  end(session: ProxySession): void {
    this.#sessions.delete(`${session.username}:${session.password}`)
  }

  #sessionOf(request: IncomingMessage): ProxySession | undefined {
    const encoded = /^Basic (.+)$/i.exec(request.headers['proxy-authorization'] ?? '')?.[1]
    return encoded ? this.#sessions.get(Buffer.from(encoded, 'base64').toString()) : undefined
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = this.#sessionOf(request)
    if (!session) return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="svc"' }).end()
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null
    if (url?.protocol !== 'http:') return void response.writeHead(400).end()
    const socket = await this.#dial(session, url.hostname, Number(url.port || 80), url)
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)),
    )
    const upstream = httpRequest({
      method: request.method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, connection: 'close' },
      createConnection: () => socket,
    })
    const broken = () => {
      session.refusals.push({
        target: hostAndPort(url),
        refusal: new EgressRefused('unreachable', `${url.host} gave no proper answer`),
      })
      failResponse(response, 'the connection failed')
    }
    upstream.on('error', broken)
    upstream.on('upgrade', broken)
    upstream.on('response', answer => {
      // A status below 100 is no HTTP, and would be thrown at us by writeHead.
      if (!answer.statusCode || answer.statusCode < 200) return broken()
      response.writeHead(
        answer.statusCode,
        Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name))),
      )
      pipeline(
        answer,
        this.#meter(session, () => response.destroy()),
        response,
        error => {
          if (error) response.destroy()
        },
      )
    })
    response.once('close', () => socket.destroy())
    pipeline(
      request,
      this.#meter(session, () => socket.destroy()),
      upstream,
      error => {
        if (error) socket.destroy()
      },
    )
  }

  async #tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const session = this.#sessionOf(request)
    if (!session)
      return void client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="svc"\r\n\r\n',
      )
    const target = new URL(`https://${request.url ?? ''}`)
    const upstream = await this.#dial(session, target.hostname, Number(target.port || 443), null)
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (head.length) upstream.write(head)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    pipeline(upstream, this.#meter(session, cut), client, cut)
    pipeline(client, this.#meter(session, cut), upstream, cut)
  }

  async #dial(session: ProxySession, host: string, port: number, url: URL | null): Promise<Socket> {
    try {
      // A tunnel hides its paths, so an address that is open in part takes plain HTTP only.
      if (!session.mayFetch(url ?? new URL(`https://${host}:${port}/`)))
        throw new EgressRefused('private_address', `${host}:${port} is this service itself`)
      const socket = await this.#dialer.dial(host, port)
      this.#track(socket)
      return socket
    } catch (error) {
      if (error instanceof EgressRefused) session.refusals.push({ target: `${host}:${port}`, refusal: error })
      throw error
    }
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }

  /** Counts what a page sends and receives, and cuts it off beyond its budget. */
  #meter(session: ProxySession, cut: () => void): Transform {
    const meter = new PassThrough()
    meter.on('data', (chunk: Buffer) => {
      session.budget -= chunk.length
      if (session.budget >= 0) return
      const first = !session.overBudget
      session.overBudget = true
      if (first) session.onOverBudget?.()
      cut()
    })
    return meter
  }
}

/** The place that a URL is dialled at, as sessions name it in their refusals. */
export const hostAndPort = (url: URL): string =>
  `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`

const publicReason = (error: unknown): string =>
  error instanceof EgressRefused ? error.message : 'the connection failed'

function failResponse(response: ServerResponse, reason: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(502, { 'content-type': 'text/plain' }).end(reason)
}

function failSocket(socket: Duplex, error: unknown): void {
  if (!socket.destroyed) socket.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${publicReason(error)}`)
}
