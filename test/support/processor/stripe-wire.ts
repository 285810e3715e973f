import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The API version of the SDK that the adapter is made for. */
const API_VERSION = '2026-10-28.endive'

export type Fields = { [name: string]: string | Fields }
export type Item = Record<string, unknown> & { id: string }

/** One request as it came over the wire. */
export interface StripeRequest {
  method: string
  path: string
  query: Fields
  form: Fields
  account: string | undefined
  idempotencyKey: string | undefined
}

/** What Stripe answers when it refuses. */
export class StripeRefusal extends Error {
  readonly status: number
  readonly error: Record<string, unknown>
  constructor(status: number, error: Record<string, unknown>) {
    super(String(error.message))
    this.status = status
    this.error = error
  }
}

export const invalidRequest = (message: string, more: object = {}, status = 400): StripeRefusal =>
  new StripeRefusal(status, { type: 'invalid_request_error', message, ...more })

export const missing = (id: string, param = 'id'): StripeRefusal =>
  invalidRequest(`No such object: '${id}'`, { code: 'resource_missing', param }, 404)

export interface StripeOutage {
  kind: 'not_reached' | 'answer_lost'
}

/**
 * The HTTP side of a local Stripe: checks key, version, encoding and idempotency as Stripe does, and answers with what
 * `handle` returns. It fails the test with a list of what a request had that Stripe does not accept.
 */
export class StripeWire {
  readonly requests: StripeRequest[] = []
  readonly problems: string[] = []
  readonly outages: StripeOutage[] = []
  readonly #secretKey: string
  readonly #handle: (request: StripeRequest) => unknown
  readonly #answers = new Map<string, { request: string; status: number; body: unknown }>()
  readonly #server: Server

  constructor(secretKey: string, handle: (request: StripeRequest) => unknown) {
    this.#secretKey = secretKey
    this.#handle = handle
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = Buffer.concat((await incoming.toArray()) as Buffer[]).toString()
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stripe')
    const headers = incoming.headers as Record<string, string | undefined>
    const request: StripeRequest = {
      method: incoming.method ?? '',
      path: pathname,
      query: parsed(searchParams),
      form: parsed(new URLSearchParams(text)),
      account: headers['stripe-account'],
      idempotencyKey: headers['idempotency-key'],
    }
    const outage = this.outages.shift()
    if (outage?.kind === 'not_reached') return void incoming.socket.destroy()
    this.requests.push(request)
    this.#check(request, headers, text)
    const { status, body } = this.#answer(request, headers.authorization ?? '')
    if (outage) return void incoming.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1' })
    response.end(JSON.stringify(body))
  }

  #check(request: StripeRequest, headers: Record<string, string | undefined>, text: string): void {
    const where = `${request.method} ${request.path}`
    if (headers['stripe-version'] !== API_VERSION)
      this.problems.push(`${where}: Stripe-Version is ${headers['stripe-version']}`)
    if (request.method !== 'POST') return
    if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      this.problems.push(`${where}: the body is ${headers['content-type']}`)
    if (!request.idempotencyKey) this.problems.push(`${where}: no Idempotency-Key`)
    if (text.startsWith('{')) this.problems.push(`${where}: the body is JSON`)
  }

  #answer(request: StripeRequest, authorization: string): { status: number; body: unknown } {
    if (authorization !== `Bearer ${this.#secretKey}`)
      return { status: 401, body: { error: { type: 'invalid_request_error', message: 'Invalid API Key' } } }
    const { idempotencyKey: key, form, path } = request
    const known = key ? this.#answers.get(key) : undefined
    const identity = JSON.stringify([path, form])
    if (known && known.request !== identity)
      return {
        status: 400,
        body: {
          error: {
            type: 'idempotency_error',
            message: 'Keys for idempotent requests can only be used with the same parameters',
          },
        },
      }
    const answer = known ?? { request: identity, ...this.#result(request) }
    if (key) this.#answers.set(key, answer)
    return answer
  }

  #result(request: StripeRequest): { status: number; body: unknown } {
    try {
      return { status: 200, body: structuredClone(this.#handle(request)) }
    } catch (error) {
      if (error instanceof StripeRefusal) return { status: error.status, body: { error: error.error } }
      this.problems.push(`${request.method} ${request.path}: ${(error as Error).message}`)
      return { status: 400, body: { error: { type: 'api_error', message: (error as Error).message } } }
    }
  }
}

/** `a[b][0]=c` as an object. */
function parsed(params: URLSearchParams): Fields {
  const root: Fields = {}
  for (const [name, value] of params) {
    const path = name.replaceAll(']', '').split('[')
    let at = root
    for (const step of path.slice(0, -1)) {
      const next = at[step] ?? {}
      if (typeof next === 'string') throw new Error(`${name} is a value and an object`)
      at[step] = next
      at = next
    }
    at[path.at(-1) ?? ''] = value
  }
  return root
}

/** The texts of a list such as `expand[0]=x`. */
export const textsOf = (field: string | Fields | undefined): string[] =>
  typeof field === 'object' ? Object.values(field).map(String) : []

export const textOf = (field: string | Fields | undefined): string => (typeof field === 'string' ? field : '')

export const fieldsOf = (field: string | Fields | undefined): Fields =>
  typeof field === 'object' ? field : {}

/** One page of a list, newest first, as Stripe cuts it. */
export function page(all: readonly Item[], query: Fields): object {
  const size = Number(query.limit ?? 10)
  const after = query.starting_after
  const start = after ? all.findIndex(({ id }) => id === after) + 1 : 0
  const data = all.slice(start, start + size)
  return { object: 'list', url: '/v1', data, has_more: start + size < all.length }
}
