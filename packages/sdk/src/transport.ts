import { ApiError, ConnectionError, errorOf, SvcError } from './errors.ts'
import { FILES, KEYED } from './keyed.ts'
import type { CallOptions } from './operations.ts'

export interface Settings {
  baseUrl: string
  fetch: typeof fetch
  timeoutMs: number
  maxRetries: number
  maxRetryWaitMs: number
  /**
   * The headers of the credential and how often it was renewed. `refresh` follows a 401 once, of a request that was sent after
   * `since` renewals, and returns false if there is nothing to renew.
   */
  credential: {
    headers(): Promise<Record<string, string>>
    renewals(): number
    refresh(since: number): Promise<boolean>
  }
}

export interface Call extends CallOptions {
  path?: Record<string, string | number>
  query?: Record<string, string | number | boolean | null | undefined>
  body?: unknown
  /** How the response is read, by default as its media type says; an error while it is read counts as a failed attempt. */
  read?: 'file' | 'stream'
}

/** The operation does nothing twice, so that it may be sent again although nobody knows whether it arrived. */
const IDEMPOTENT_METHODS = new Set(['GET', 'PUT', 'DELETE'])
/** Writes without a key whose repetition has the same response. */
const REPEATABLE = new Set(['POST /agents/{id}/runs/{runId}/result'])
const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504])
const BACKOFF_MS = 300
const BACKOFF_MAX_MS = 10_000
/** About five minutes: for what is done only once, such as while the service restarts. */
export const OUTAGE_RETRIES = 60
/** A request that still runs under the same key is waited for, beside the retries of failures. */
const RUNNING_MAX = 60

/** A random value that also exists in pages without https. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')

/**
 * Sends one operation, and sends it again while that cannot double its effect: writes carry an `Idempotency-Key`, the same
 * one each time; other writes that know no key are only repeated after a 429, which did nothing.
 */
export async function send(settings: Settings, operation: string, call: Call): Promise<unknown> {
  const isKeyed = KEYED.has(operation) && call.idempotencyKey !== null
  const method = operation.slice(0, operation.indexOf(' '))
  const idempotencyKey = isKeyed ? (call.idempotencyKey ?? randomKey()) : undefined
  const mayRepeat = isKeyed || IDEMPOTENT_METHODS.has(method) || REPEATABLE.has(operation)
  const request = {
    ...(FILES.has(operation) ? { read: 'file' as const } : {}),
    ...call,
    method,
    url: urlOf(settings.baseUrl, operation, call),
    idempotencyKey,
  }
  const maxRetries = call.maxRetries ?? settings.maxRetries
  let isRefreshed = false
  for (let failures = 0, running = 0; ;) {
    const renewals = settings.credential.renewals()
    try {
      return await attempt(settings, request)
    } catch (error) {
      call.signal?.throwIfAborted()
      if (error instanceof ApiError && error.status === 401 && !isRefreshed) {
        isRefreshed = true
        if (await settings.credential.refresh(renewals)) continue
      }
      const isRunning = error instanceof ApiError && error.code === 'IDEMPOTENCY_RUNNING'
      if (isRunning ? ++running > RUNNING_MAX : ++failures > maxRetries || !isRetried(error, mayRepeat))
        throw error
      const asked = error instanceof ApiError ? error.retryAfter : undefined
      if (asked !== undefined && asked * 1000 > settings.maxRetryWaitMs) throw error
      await sleep(waitMs(failures, asked), call.signal)
    }
  }
}

function isRetried(error: unknown, mayRepeat: boolean): boolean {
  if (error instanceof ConnectionError) return mayRepeat
  if (!(error instanceof ApiError)) return false
  return error.status === 429 || (mayRepeat && RETRIED_STATUSES.has(error.status))
}

/** What the service asks for, with up to a fifth on top, so that many clients do not return together; else full jitter. */
function waitMs(failures: number, asked: number | undefined): number {
  if (asked !== undefined) return asked * 1000 * (1 + Math.random() / 5)
  return Math.random() * Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** failures)
}

type Attempt = Omit<Call, 'idempotencyKey'> & {
  method: string
  url: string
  idempotencyKey: string | undefined
}

async function attempt(settings: Settings, call: Attempt): Promise<unknown> {
  const { body, signal, idempotencyKey } = call
  const isBytes = body instanceof Uint8Array || body instanceof Blob
  const headers = new Headers({
    accept: call.read === 'stream' ? 'text/event-stream' : 'application/json',
    ...(await settings.credential.headers()),
    ...(body === undefined
      ? {}
      : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
    ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    ...call.headers,
  })
  const abort = new AbortController()
  const onAbort = () => abort.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', onAbort)
  const timer = setTimeout(
    () => abort.abort(new Error('the request took too long')),
    call.timeoutMs ?? settings.timeoutMs,
  )
  let isOpen = false
  try {
    const response = await settings.fetch(call.url, {
      method: call.method,
      headers,
      body: body === undefined ? null : isBytes ? (body as Blob) : JSON.stringify(body),
      signal: abort.signal,
    })
    if (!response.ok) throw errorOf(response.status, await response.text(), response.headers)
    isOpen = call.read === 'stream'
    if (isOpen) return response
    return call.read === 'file' ? await bytesOf(response) : await contentOf(response)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ConnectionError(
      `${call.method} ${call.url} failed: ${reasonOf(abort.signal.reason ?? error)}`,
      {
        cause: error,
        idempotencyKey,
      },
    )
  } finally {
    clearTimeout(timer)
    // A stream is still read: its reader ends it.
    if (!isOpen) signal?.removeEventListener('abort', onAbort)
  }
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

async function contentOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/^(?:text|image\/svg)|yaml/.test(type)) return response.text()
  if (/octet-stream|^image|pdf/.test(type)) return bytesOf(response)
  const text = await response.text()
  return text ? (JSON.parse(text) as unknown) : undefined
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Node says "fetch failed" and names the reason in the cause.
  return error.cause instanceof Error ? error.cause.message : error.message
}

function urlOf(baseUrl: string, operation: string, { path = {}, query = {} }: Call): string {
  const template = operation.slice(operation.indexOf(' ') + 1)
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name] ?? ''
    // Else a variable that is not set would be the id "undefined".
    if (value === '') throw new SvcError(`${operation} needs ${name}: pass path: { ${name} }`)
    return encodeURIComponent(value)
  })
  const address = baseUrl.replace(/\/$/, '') + filled
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw new SvcError(`"${baseUrl}" is no address: baseUrl must be one such as http://127.0.0.1:3000`)
  const url = new URL(address)
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) url.searchParams.append(name, value.toString())
  return url.href
}

/** Waits; rejects with the reason of the signal once it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
