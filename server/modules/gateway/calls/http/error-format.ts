import type { IncomingHttpHeaders } from 'node:http'
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

/** An error answer of the interface with OpenAI's error object in place of the name of the status; null for another answer. */
function openaiAnswerOf(
  payload: unknown,
): { statusCode: number; message: string; error: OpenaiError } | null {
  if (!isRecord(payload) || typeof payload['statusCode'] !== 'number') return null
  const { statusCode, message, code, hint, details } = payload
  if (typeof payload['error'] !== 'string') return null
  const error = openaiErrorOf({
    status: statusCode,
    code: String(code),
    message: Array.isArray(message) ? message.join('; ') : String(message),
    hint: typeof hint === 'string' ? hint : undefined,
    details,
  })
  return { statusCode, message: error.message, error }
}

/**
 * Sends the errors of an application's operations as OpenAI's error object to callers that read it: the SDKs of OpenAI and
 * Vercel by their headers, and keys that ask for it.
 */
export function installOpenaiErrors(app: App, keyOf: (keyId: string) => RoutingKey): void {
  app.addHook('preSerialization', async (request, _, payload) => {
    const answer = openaiAnswerOf(payload)
    return answer && readsOpenaiErrors(request, keyOf) ? answer : payload
  })
}

/** The answer to a request that is no operation, such as one of OpenAI's that the gateway does not have, or a wrong base URL. */
export const answerOfUnknown = ({ headers }: FastifyRequest, payload: object): object =>
  (isOpenaiClient(headers) && openaiAnswerOf(payload)) || payload

const isOpenaiClient = ({
  'x-stainless-lang': stainless,
  'user-agent': agent,
}: IncomingHttpHeaders): boolean => stainless !== undefined || agent?.includes('ai-sdk') === true

function readsOpenaiErrors(request: FastifyRequest, keyOf: (keyId: string) => RoutingKey): boolean {
  if (isOpenaiClient(request.headers)) return true
  const { principal } = contextOf(request)
  return principal.via === 'routing-key' && keyOf(principal.keyId).errorFormat === 'openai'
}
