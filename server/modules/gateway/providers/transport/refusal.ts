import { isRecord } from '#platform/kernel/unknown'
import { UpstreamFailure, type FailureKind } from '../../core/upstream.ts'

const MAX_MESSAGE = 500
/**
 * What providers that refuse a key with the status 400 say in their codes. Their messages prove nothing: they quote what the
 * caller wrote, except in a sentence of their own at the beginning.
 */
const REFUSED_KEY: ReadonlySet<unknown> = new Set([
  'API_KEY_INVALID',
  'InvalidApiKey',
  'authentication_error',
  'invalid_api_key',
])
/** xAI sends no code of its own. */
const REFUSED_KEY_SENTENCE = /^Incorrect API key provided\b/
const UNPAID = /insufficient_quota|insufficient[ _](?:balance|quota|credits?)|billing/i

/** What providers say without a code of their own when the prompt does not fit into the context of the model. */
const CONTEXT_SENTENCES = new RegExp(
  [
    'exceeds? the context window', // OpenAI
    'maximum context length', // OpenAI, Mistral, DeepSeek
    'maximum input length', // OpenAI, embeddings
    'prompt is too long', // Anthropic
    'exceed context limit', // Anthropic, with max_tokens
    'input token count.{1,40}exceeds the maximum', // Google
    'maximum prompt length', // xAI
    'exceeded model token limit', // Moonshot
    'Range of input length should be', // Alibaba
    'Prompt exceeds max length', // Z.ai
  ].join('|'),
  'i',
)

/** Whether a provider refuses a request because its prompt is too long. */
export const exceedsContext = (code: unknown, message: string): boolean =>
  code === 'context_length_exceeded' || CONTEXT_SENTENCES.test(message)

/**
 * What an error of a provider means. 402 and 404 concern the operator: the gateway chose the model and the path. The message
 * of a refused request is for its caller, without the key.
 */
export function failureOf(error: {
  status: number
  body: unknown
  key: string
  retryAfter?: string
  /** OpenAI sends this header too. */
  retryAfterMs?: string
}): UpstreamFailure {
  const { status } = error
  const message = messageOf(error.body)
  const codes = codesOf(error.body)
  const kind = kindOf(status, codes, message)
  return new UpstreamFailure(kind, textFor(kind, status, withoutKey(message, error.key)), {
    status,
    retryAfterMs: Number(error.retryAfterMs) || retryAfterMs(error.retryAfter),
    exceedsContext: kind === 'refused' && codes.some(code => exceedsContext(code, message)),
  })
}

function kindOf(status: number, codes: readonly unknown[], message: string): FailureKind {
  if (status === 429) return codes.some(code => UNPAID.test(String(code))) ? 'credentials' : 'rate_limited'
  if (status >= 500) return 'server_error'
  if (status === 408) return 'timeout'
  if ([401, 402, 403, 404].includes(status)) return 'credentials'
  const isKey = codes.some(code => REFUSED_KEY.has(code)) || REFUSED_KEY_SENTENCE.test(message)
  if (status >= 400) return status === 400 && isKey ? 'credentials' : 'refused'
  return 'malformed'
}

function textFor(kind: FailureKind, status: number, message: string): string {
  if (kind === 'refused') return message || `The provider refused the request (${status})`
  if (kind === 'credentials') return `The provider refused the key of the gateway (${status})`
  if (kind === 'rate_limited') return 'The provider is rate limited'
  return `The provider answered ${status}`
}

/** Types of errors that arrive in a stream, after the status 200. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  context_length_exceeded: 400,
  invalid_request_error: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  permission_error: 403,
  billing_error: 402,
  not_found_error: 404,
  request_too_large: 413,
}

/** An error object in the place of an answer: `{error: {type, code, message}}`. */
export function failureInBody(body: Record<string, unknown>, key: string): UpstreamFailure | null {
  const error = isRecord(body.error)
    ? body.error
    : typeof body.error === 'string'
      ? { message: body.error }
      : null
  if (!error) return null
  const { code, type } = error as { code?: unknown; type?: unknown }
  const status =
    STATUS_OF_TYPE[String(code)] ??
    STATUS_OF_TYPE[String(type)] ??
    (typeof code === 'number' && code >= 400 && code < 600 ? code : 500)
  return failureOf({ status, body: { error }, key })
}

/** Providers say it as error.message, message, detail or error; Google wraps it in a list. */
function messageOf(body: unknown): string {
  const record = unwrapped(body)
  if (typeof record === 'string') return record
  if (!isRecord(record)) return ''
  const { error, message, detail } = record
  if (isRecord(error) && typeof error.message === 'string') return error.message
  for (const text of [error, message, detail]) if (typeof text === 'string') return text
  const rest = detail ?? message
  return rest ? JSON.stringify(rest) : ''
}

const unwrapped = (body: unknown): unknown => (Array.isArray(body) ? body[0] : body)

/** The code and the type of an error, and the reasons in Google's details. */
function codesOf(body: unknown): unknown[] {
  const record = unwrapped(body)
  const error = isRecord(record) && isRecord(record.error) ? record.error : record
  if (!isRecord(error)) return []
  const details: unknown[] = Array.isArray(error.details) ? error.details : []
  return [error.code, error.type, ...details.map(detail => (isRecord(detail) ? detail.reason : null))]
}

function withoutKey(message: string, key: string): string {
  const plain = key ? message.replaceAll(key, '***') : message
  return plain.replace(/\b(?:sk|rk|xai|AIza|gsk)[-_A-Za-z0-9*]{12,}/g, '***').slice(0, MAX_MESSAGE)
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | undefined): number | undefined {
  if (!header) return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.round(seconds * 1000) : undefined
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0)
}
