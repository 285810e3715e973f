import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { messages } from './wire-anthropic.ts'
import { chat, embeddings, responses, type Rendered } from './wire-openai.ts'

export interface ProgrammedUsage {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  reasoning: number
}

/** What is answered, in the form that each API is rendered from. */
export interface ProgrammedAnswer {
  text: string
  /** The text in the pieces that a stream has. */
  pieces: string[]
  tools: { name: string; arguments: string }[]
  reasoning: string
  refusal: string | null
  finish: 'stop' | 'length'
  usage: ProgrammedUsage
}

export type UpstreamFault =
  | 'rate_limited'
  | 'rate_limited_retry_after'
  | 'server_error'
  | 'unavailable'
  | 'hang_before_headers'
  | 'hang_after_headers'
  | 'cut_mid_stream'
  | 'malformed_chunk'
  | 'empty'
  | 'slow_drip'
  | 'wrong_content_type'
  | 'reset'

/** One answer: what is left out has a default. */
export interface Step extends Partial<Omit<ProgrammedAnswer, 'usage' | 'pieces'>> {
  fault?: UpstreamFault
  usage?: Partial<ProgrammedUsage>
  /** An answer with this status and JSON body, for instance an error of the provider. */
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** Between two events of a stream; with `slow_drip` 100. */
  delayMs?: number
  /** A stream waits for this after half of its events. */
  hold?: Promise<unknown>
}

export interface UpstreamRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
  /** Of the client: the same for all requests of a connection. */
  port: number | undefined
  /** Resolves when the connection of this answer is no longer used; true if the client left before the end. */
  closed: Promise<boolean>
}

/**
 * A provider on loopback, over real HTTP: chat completions, responses, messages and embeddings below `url`. Each request takes
 * the next programmed step, or else the usual one, which answers `Hello from <model>`. Requests are recorded.
 */
export class ProgrammableUpstream {
  readonly requests: UpstreamRequest[] = []
  /** For requests for which no step is left. */
  usual: Step = {}
  /** Decides by the request; comes before programmed steps. */
  decide: (request: UpstreamRequest) => Step | undefined = () => undefined
  readonly #steps: Step[] = []
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy())
  })

  static async open(): Promise<ProgrammableUpstream> {
    const upstream = new ProgrammableUpstream()
    upstream.#server.listen(0, '127.0.0.1')
    await once(upstream.#server, 'listening')
    return upstream
  }

  /** Base address of each provider. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** Settings that send the calls to these providers here. */
  settings(...providers: string[]): Record<string, string> {
    return Object.fromEntries(
      providers.flatMap(provider => [
        [`${provider.toUpperCase()}_API_KEY`, `key-of-${provider}-4f1c9a77`],
        [`${provider.toUpperCase()}_BASE_URL`, this.url],
      ]),
    )
  }

  /** The answers of the next requests, in order. */
  next(...steps: Step[]): void {
    this.#steps.push(...steps)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as Record<string, unknown>
    const closed = new Promise<boolean>(resolve =>
      response.once('close', () => resolve(!response.writableFinished)),
    )
    const record = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      port: request.socket.remotePort,
      closed,
    }
    this.requests.push(record)
    const step = this.decide(record) ?? this.#steps.shift() ?? this.usual
    if (step.status !== undefined) return sendJson(response, step.status, step.body ?? {}, step.headers)
    if (await fails(step, response)) return
    const rendered = render(record, step)
    if (body.stream === true && rendered.events.length) return sendStream(response, rendered.events, step)
    return sendWhole(response, rendered.whole, step)
  }
}

function render({ path, body }: UpstreamRequest, step: Step): Rendered {
  const model = String(body.model)
  const text = step.text ?? `Hello from ${model}`
  const pieces = text.match(/\s*\S+|\s+$/g) ?? []
  const usage = { input: 10, output: pieces.length, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...step.usage }
  const answer: ProgrammedAnswer = {
    text,
    pieces,
    tools: step.tools ?? [],
    reasoning: step.reasoning ?? '',
    refusal: step.refusal ?? null,
    finish: step.finish ?? 'stop',
    usage,
  }
  if (path.endsWith('/messages')) return messages(answer, model)
  if (path.endsWith('/responses')) return responses(answer, model)
  if (path.endsWith('/embeddings')) return { whole: embeddings(body, usage), events: [] }
  return chat(answer, model, typeof body.n === 'number' ? body.n : 1)
}

/** Does not keep a process alive whose test has ended. */
const sleep = (ms: number) => delay(ms, undefined, { ref: false })

const STATUS: Partial<Record<UpstreamFault, number>> = {
  rate_limited: 429,
  rate_limited_retry_after: 429,
  server_error: 500,
  unavailable: 503,
}

/** True if the fault replaces the answer. */
async function fails({ fault }: Step, response: ServerResponse): Promise<boolean> {
  const status = fault && STATUS[fault]
  if (status) {
    const headers = fault === 'rate_limited_retry_after' ? { 'retry-after': '1' } : undefined
    await sendJson(response, status, { error: { message: `Injected ${fault}`, type: fault } }, headers)
  } else if (fault === 'hang_before_headers') await once(response, 'close')
  else if (fault === 'hang_after_headers') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    await once(response, 'close')
  } else if (fault === 'empty') response.writeHead(200, { 'content-type': 'application/json' }).end()
  else if (fault === 'wrong_content_type')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Sign in</body></html>')
  else if (fault === 'reset') response.socket?.resetAndDestroy()
  else return false
  return true
}

async function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers?: Record<string, string>,
): Promise<void> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

async function sendWhole(response: ServerResponse, whole: object, step: Step): Promise<void> {
  const text = JSON.stringify(whole)
  const half = Math.floor(text.length / 2)
  const { fault } = step
  if (fault === 'malformed_chunk') return sendJson(response, 200, text.slice(0, half), step.headers)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...step.headers,
  })
  if (fault !== 'cut_mid_stream' && fault !== 'slow_drip' && !step.hold) {
    response.end(text)
    return
  }
  response.write(text.slice(0, half))
  await sleep(step.delayMs ?? 100)
  if (fault === 'cut_mid_stream') response.destroy()
  else {
    await step.hold
    response.end(text.slice(half))
  }
}

async function sendStream(response: ServerResponse, events: readonly string[], step: Step): Promise<void> {
  const { fault } = step
  const delayMs = step.delayMs ?? (fault === 'slow_drip' ? 100 : 0)
  const half = Math.ceil(events.length / 2)
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...step.headers })
  for (const [at, event] of events.entries()) {
    if (at === half) await step.hold
    if (at === half && fault === 'cut_mid_stream') {
      // What was written has to arrive before the connection ends.
      await sleep(50)
      response.destroy()
      return
    }
    if (response.destroyed) return
    if (at === half && fault === 'malformed_chunk') response.write('data: {"id":"x","choi\n\n')
    if (!response.write(event)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    if (delayMs) await sleep(delayMs)
  }
  response.end()
}
