import { Agent, request as send } from 'node:http'
import { FUZZER } from '../../support/service/statuses.ts'
import type { Operation } from '../document/document.ts'
import type { TenantIndex } from '../tenants/pool.ts'

export interface Credential {
  /** Such as `access token`, `expired access token`, `agent key`. */
  kind: string
  headers: Record<string, string>
  /** Signs the body, as the processor and the chain do. */
  sign?(body: string): Record<string, string>
}

/** A request before it is written: the parts that a failure is shrunk by. */
export interface Draft {
  operation: Operation
  tenant: TenantIndex
  credential: Credential
  path: Record<string, string>
  query: readonly (readonly [name: string, value: string])[]
  headers: Record<string, string>
  /** JSON value; absent for no body. */
  body?: { value: unknown } | { text: string }
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  ms: number
}

/** A stream of events does not end: this much of it is read. */
const STREAM_MS = 150
/** No operation takes that long. */
const MOST_MS = 300_000
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export const urlOf = ({ operation, path, query }: Draft): string => {
  const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(path[name] ?? ''))
  const asked = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return asked ? `${filled}?${asked}` : filled
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

export const textOf = ({ body }: Draft): string | undefined => {
  if (!body) return undefined
  return 'text' in body ? body.text : JSON.stringify(body.value)
}

/** All headers, with those of the credential. */
export function headersOf(draft: Draft): Record<string, string> {
  const { operation, credential, headers } = draft
  const text = textOf(draft)
  return {
    'user-agent': FUZZER,
    ...(text === undefined ? {} : { 'content-type': operation.body?.type ?? 'application/json' }),
    ...credential.headers,
    ...credential.sign?.(text ?? ''),
    ...headers,
  }
}

export function sendDraft(baseUrl: string, draft: Draft): Promise<Reply> {
  const started = performance.now()
  const text = textOf(draft)
  const body = text === undefined ? undefined : Buffer.from(text)
  const headers = { ...headersOf(draft), ...(body ? { 'content-length': String(body.length) } : {}) }
  return new Promise((resolve, reject) => {
    const { method } = draft.operation
    const sent = send(`${baseUrl}${urlOf(draft)}`, { method, agent, headers, timeout: MOST_MS }, received => {
      const chunks: Buffer[] = []
      const end = () =>
        resolve({
          status: received.statusCode ?? 0,
          headers: received.headers,
          text: Buffer.concat(chunks).toString(),
          ms: performance.now() - started,
        })
      received.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', end)
      if (!received.headers['content-type']?.startsWith('text/event-stream')) {
        received.on('error', reject)
        return
      }
      received.on('error', end)
      setTimeout(() => {
        end()
        received.destroy()
      }, STREAM_MS)
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${MOST_MS} ms`)))
    sent.on('error', reject)
    sent.end(body)
  })
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The command that sends a request again. */
export function curlOf(baseUrl: string, draft: Draft): string {
  const text = textOf(draft)
  const { 'user-agent': _, ...headers } = headersOf(draft)
  return [
    'curl -sS -i',
    ...(draft.operation.method === 'GET' ? [] : [`-X ${draft.operation.method}`]),
    quote(`${baseUrl}${urlOf(draft)}`),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(text === undefined ? [] : [`--data-binary ${quote(text)}`]),
  ].join(' ')
}
