import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { request as httpRequest } from '../../kernel/node/http.ts'
import type { Dialer } from './dialer.ts'

export interface GuardedRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** For the whole exchange, redirects included. */
  timeoutMs: number
  maxBytes: number
  /** Followed for GET and HEAD alone: a body or a signature goes to nobody but its addressee. */
  maxRedirects: number
  /** Called before each hop; throws to refuse it. */
  mayFetch?: (url: URL) => void
  /** Reads the body of the last answer, knowing its status and headers; by default whole, up to `maxBytes`. */
  read?: (answer: IncomingMessage) => Promise<Buffer>
}

export interface GuardedAnswer {
  status: number
  finalUrl: string
  redirects: string[]
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** Why an exchange through the dialer did not end well; `message` is fit for the public. */
export class FetchFailed extends Error {
  readonly code: 'timeout' | 'too_large' | 'too_many_redirects' | 'bad_url' | 'unreachable'
  constructor(code: FetchFailed['code'], message: string) {
    super(message)
    this.name = 'FetchFailed'
    this.code = code
  }
}

/** One HTTP exchange through the dialer; every redirect is checked anew. Throws EgressRefused or FetchFailed. */
export async function fetchThrough(
  dialer: Dialer,
  url: string,
  options: GuardedRequest,
): Promise<GuardedAnswer> {
  const signal = AbortSignal.timeout(options.timeoutMs)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new FetchFailed('timeout', `no whole answer in ${options.timeoutMs / 1000} s`))
    })
  })
  return Promise.race([follow(dialer, url, options, signal), late])
}

async function follow(
  dialer: Dialer,
  url: string,
  options: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  const redirects: string[] = []
  const follows = ['GET', 'HEAD'].includes(options.method ?? 'GET')
  for (let next = webUrl(url); ;) {
    options.mayFetch?.(next)
    const { location, ...answer } = await exchange(dialer, next, options, { signal, follows })
    if (location === null) return { ...answer, finalUrl: next.href, redirects }
    if (redirects.length === options.maxRedirects)
      throw new FetchFailed('too_many_redirects', `more than ${options.maxRedirects} redirects`)
    next = webUrl(location, next.href)
    redirects.push(next.href)
  }
}

function webUrl(text: string, base?: string): URL {
  if (!URL.canParse(text, base)) throw new FetchFailed('bad_url', 'this is not a URL')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchFailed('bad_url', `${url.protocol} addresses are not opened, only http: and https:`)
  return url
}

interface Hop {
  signal: AbortSignal
  follows: boolean
}

/** One request and its answer; `location` is where the caller should go instead, and then no body is read. */
async function exchange(dialer: Dialer, url: URL, options: GuardedRequest, { signal, follows }: Hop) {
  const {
    method = 'GET',
    headers,
    body,
    maxBytes,
    read = (answer: IncomingMessage) => readBody(answer, { maxBytes }),
  } = options
  const secure = url.protocol === 'https:'
  const socket = await dialer.dial(url.hostname, Number(url.port || (secure ? 443 : 80)))
  const stream = secure
    ? connectTls({
        socket,
        servername: isIP(url.hostname.replace(/^\[|\]$/g, '')) ? '' : url.hostname,
        ALPNProtocols: ['http/1.1'],
      })
    : socket
  stream.on('error', () => {
    stream.destroy()
  })
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(
        {
          method,
          path: url.pathname + url.search,
          signal,
          headers: { host: url.host, connection: 'close', ...headers },
          createConnection: () => stream,
        },
        resolve,
      )
      sent.on('error', (error: NodeJS.ErrnoException) => {
        reject(new FetchFailed('unreachable', `${url.host} gave no answer (${error.code ?? error.message})`))
      })
      sent.on('upgrade', () => {
        reject(new FetchFailed('unreachable', `${url.host} left HTTP`))
      })
      sent.end(body)
    })
    const status = answer.statusCode ?? 0
    // The parser takes statuses that are no HTTP, such as 000.
    if (status < 200) throw new FetchFailed('unreachable', `${url.host} gave no proper answer`)
    const location = follows && status >= 300 && status <= 399 ? (answer.headers.location ?? null) : null
    return {
      status,
      headers: answer.headers,
      location,
      body: location === null ? await read(answer) : Buffer.alloc(0),
    }
  } finally {
    socket.destroy()
  }
}

export interface BodyLimits {
  maxBytes: number
  /** Number of bytes from its start that are returned; all by default. */
  keepBytes?: number
  onChunk?: (chunk: Buffer) => void
}

/** Reads a body of at most `maxBytes`; throws FetchFailed. */
export async function readBody(
  answer: IncomingMessage,
  { maxBytes, keepBytes = maxBytes, onChunk }: BodyLimits,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (size < keepBytes) chunks.push(chunk.subarray(0, keepBytes - size))
      size += chunk.length
      if (size > maxBytes) throw new FetchFailed('too_large', `more than ${maxBytes} bytes`)
      onChunk?.(chunk)
    }
  } catch (error) {
    throw error instanceof FetchFailed ? error : new FetchFailed('unreachable', 'the answer broke off')
  }
  return Buffer.concat(chunks)
}
