import type { App, HttpRequest } from '#platform/http/operation'
import { apiError, COMMON } from '#platform/kernel/errors'
import { isRecord } from '#platform/kernel/unknown'
import { MCP } from './errors.ts'

/** One operation of the API. */
export interface Call {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string | number | boolean | undefined>
  body?: object
  /** For a money operation that may be repeated. */
  idempotencyKey?: string
}

/** Calls an operation as the caller of the tool, and returns the body of its response; throws a Refusal for an error. */
export type Caller = (call: Call) => Promise<unknown>

/** The error of an operation, as its response has it. */
export class Refusal extends Error {
  readonly envelope: Record<string, unknown>

  constructor(error: Record<string, unknown>) {
    super(String(error.message))
    this.name = 'Refusal'
    this.envelope = error
  }
}

/** An id or slug as a segment of a path. ApiError 400 for what would lead to the path of another operation. */
export function segmentOf(id: string): string {
  if (/^\.{0,2}$/.test(id))
    throw apiError(MCP.INVALID_ARGUMENTS, { hint: 'An id or slug must not be empty, "." or ".."' })
  return encodeURIComponent(id.toWellFormed())
}

/** What an operation must know of the request of the client: credentials, and what the audit log and the limits record. */
const PASSED = ['x-agent-api-key', 'x-api-key', 'user-agent', 'host', 'traceparent']

/**
 * Calls operations inside the process, through the whole HTTP surface, with the credential of the client's own request:
 * authorization, limits, idempotency and audit are those of any other client.
 */
export function createCaller(app: App, http: HttpRequest, requestId: string): Caller {
  const headers = { ...passedHeaders(http), 'x-request-id': requestId }
  return async ({ method, path, query = {}, body, idempotencyKey }) => {
    const given = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
    const response = await app.inject({
      method,
      url: given.size ? `${path}?${given.toString()}` : path,
      remoteAddress: http.ip,
      headers: { ...headers, ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}) },
      ...(body ? { payload: body } : {}),
    })
    const answer: unknown = response.payload === '' ? null : JSON.parse(response.payload)
    if (response.statusCode < 400) return answer
    throw isRecord(answer) ? new Refusal(answer) : apiError(COMMON.INTERNAL_ERROR)
  }
}

function passedHeaders({ headers }: HttpRequest): Record<string, string> {
  const passed = PASSED.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  // Operations take an agent key in its own header only.
  const agentKey = /^Bearer\s+(sa_\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]
  const bearer = agentKey ? ['x-agent-api-key', agentKey] : ['authorization', headers.authorization ?? '']
  return Object.fromEntries([...passed, ...(bearer[1] ? [bearer] : [])])
}
