import { isRecord } from '../kernel/unknown.ts'
import type { App } from './operation.ts'

/** Of JSON-RPC 2.0: "Parse error" and "Invalid Request". */
const CODES = new Map<unknown, number>([
  ['INVALID_JSON', -32_700],
  ['VALIDATION_FAILED', -32_600],
])

/**
 * Sends the refusal of a body that is no JSON, or no call, as an error of JSON-RPC 2.0, to every caller of an application's
 * operations; `data` is the error body of the other operations. Other refusals, such as of the credential, stay those of HTTP.
 */
export function installRpcErrors(app: App, { status }: { status: 200 | 400 }): void {
  app.addHook('preSerialization', async ({ body }, reply, payload) => {
    const code = isRecord(payload) && payload.statusCode === 400 ? CODES.get(payload.code) : undefined
    if (code === undefined || !isRecord(payload)) return payload
    // An object is a call: what is wrong is its address, or a field that no operation takes.
    if (status === 200 && isRecord(body) && !Array.isArray(body)) return payload
    const { message } = payload
    const text = Array.isArray(message) ? message.join('; ') : String(message)
    void reply.code(status)
    return { jsonrpc: '2.0', id: idIn(body), error: { code, message: text, data: payload } }
  })
}

/** The id of a call, if it has one that JSON can send back: JSON.parse reads 1e999 as Infinity. */
export function idIn(call: unknown): string | number | null {
  const id = isRecord(call) ? call.id : undefined
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null
}
