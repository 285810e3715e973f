import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectTls } from 'node:tls'
import type { Duplex } from 'node:stream'
import type { Dialer } from './dialer.ts'

export interface GuardedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** For the whole exchange, redirects included. */
  timeoutMs: number
  maxBytes: number
  maxRedirects: number
  /** Called before each hop; throws to refuse it. */
  mayFetch?: (url: URL) => void
}

export interface GuardedAnswer { status: number; finalUrl: string; redirects: string[]; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** Why an exchange through the dialer did not end well. */
export class FetchFailed extends Error {
  readonly code: 'timeout' | 'too_large' | 'too_many_redirects' | 'bad_url' | 'unreachable'
  constructor(code: FetchFailed['code'], message: string) {
    super(message)
    this.name = 'FetchFailed'
    this.code = code
  }
}

/** One HTTP exchange through the dialer; every redirect is checked anew. Throws EgressRefused or FetchFailed. */
export async function fetchThrough(dialer: Dialer, url: string, options: GuardedRequest): Promise<GuardedAnswer> {
  const signal = AbortSignal.timeout(options.timeoutMs)
  const redirects: string[] = []
  for (let next = new URL(url); ;) {
    if (next.protocol !== 'http:' && next.protocol !== 'https:') throw new FetchFailed('bad_url', `${next.protocol} addresses are not opened`)
    options.mayFetch?.(next)
    const answer = await within(signal, exchange(dialer, next, options, signal))
    const location = answer.headers.location
    if (answer.status < 300 || answer.status > 399 || typeof location !== 'string') return { ...answer, finalUrl: next.href, redirects }
    if (redirects.length === options.maxRedirects) throw new FetchFailed('too_many_redirects', `more than ${options.maxRedirects} redirects`)
    next = new URL(location, next)
    redirects.push(next.href)
  }
}

async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw signal.aborted ? new FetchFailed('timeout', 'no whole answer in time') : error
  }
}

async function exchange(dialer: Dialer, url: URL, { method = 'GET', headers, body, maxBytes }: GuardedRequest, signal: AbortSignal) {
  const secure = url.protocol === 'https:'
  const socket = await dialer.dial(url.hostname, Number(url.port || (secure ? 443 : 80)))
  const stream: Duplex = secure ? connectTls({ socket, servername: url.hostname, ALPNProtocols: ['http/1.1'] }) : socket
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest({ method, path: url.pathname + url.search, signal, headers: { host: url.host, connection: 'close', ...headers }, createConnection: () => stream }, resolve)
      sent.once('error', error => reject(new FetchFailed('unreachable', `${url.host}: ${error.message}`)))
      sent.end(body)
    })
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await read(answer, maxBytes) }
  } finally {
    socket.destroy()
  }
}

async function read(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new FetchFailed('too_large', `more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
