import type { FastifyRequest } from 'fastify'
import { contextOf, type App } from '#platform/http/operation'
import type { ApiError } from '#platform/kernel/errors'
import { isRecord } from '#platform/kernel/unknown'
import type { RoutingKey } from '../../core/key.ts'

/** The error object of OpenAI. */
export interface OpenaiError {
  message: string
  type: string
  param: string | null
  code: string
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
}
const typeOf = (status: number): string =>
  TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')

interface Refusal {
  status: number
  code: string
  message: string
  hint?: string | undefined
  details?: unknown
}

function openaiErrorOf({ status, code, message, hint, details }: Refusal): OpenaiError {
  const param = isRecord(details) && typeof details['param'] === 'string' ? details['param'] : null
  return {
    // Clients show nothing else of the error, so it says what to do as well.
    message: hint ? `${message}: ${hint}` : message,
    type: typeOf(status),
    param,
    code: code.toLowerCase(),
  }
}

/** The error object of an error that ends a stream. */
export const openaiError = ({ row, extra }: ApiError): OpenaiError =>
  openaiErrorOf({ ...row, hint: extra.hint, details: extra.details })

/**
 * Sends the errors of an application's operations as OpenAI's error object to callers that read it: the SDKs of OpenAI and
 * Vercel by their headers, and keys that ask for it.
 */
export function installOpenaiErrors(app: App, keyOf: (keyId: string) => RoutingKey): void {
  app.addHook('preSerialization', async (request, _, payload) => {
    if (!isRecord(payload) || typeof payload['statusCode'] !== 'number') return payload
    const { statusCode, message, code, hint, details } = payload
    if (typeof payload['error'] !== 'string' || !readsOpenaiErrors(request, keyOf)) return payload
    const error = openaiErrorOf({
      status: statusCode,
      code: String(code),
      message: Array.isArray(message) ? message.join('; ') : String(message),
      hint: typeof hint === 'string' ? hint : undefined,
      details,
    })
    return { statusCode, message: error.message, error }
  })
}

function readsOpenaiErrors(request: FastifyRequest, keyOf: (keyId: string) => RoutingKey): boolean {
  const { 'x-stainless-lang': stainless, 'user-agent': agent } = request.headers
  if (stainless !== undefined || agent?.includes('ai-sdk')) return true
  const { principal } = contextOf(request)
  return principal.via === 'routing-key' && keyOf(principal.keyId).errorFormat === 'openai'
}
