/** The body of every error of the service. */
interface ErrorBody {
  message?: string | string[]
  error?: string | { message?: string; code?: string | null }
  code?: string
  hint?: string
  details?: unknown
}

/** Anything that this package throws. */
export class SvcError extends Error {
  override name = 'SvcError'
}

/** No usable response: the connection failed, was cut off or took too long. */
export class ConnectionError extends SvcError {
  override name = 'ConnectionError'
  /** The key of a write: with it the same request can be sent again without a second effect. */
  readonly idempotencyKey: string | undefined

  constructor(message: string, options: { cause?: unknown; idempotencyKey?: string | undefined } = {}) {
    super(message, { cause: options.cause })
    this.idempotencyKey = options.idempotencyKey
  }
}

/** The deal, or what it was waited for, went another way. */
export class DealError extends SvcError {
  override name = 'DealError'
}

/** The message is not signed with the secret, or is too old. */
export class WebhookError extends SvcError {
  override name = 'WebhookError'
}

/** The service refused the request. `code` is stable for programs; `hint` says what to do. */
export class ApiError extends SvcError {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly details: unknown
  readonly requestId: string | undefined
  /** Seconds to wait before the next attempt. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: ErrorBody, headers: Headers) {
    // Routing keys may ask for errors in the form of OpenAI.
    const inner = typeof body.error === 'object' ? body.error : undefined
    const text = inner?.message ?? [body.message ?? `The service answered ${status}`].flat().join('; ')
    super(body.hint ? `${text} (${body.hint})` : text)
    this.status = status
    this.code = inner?.code ?? body.code ?? 'UNKNOWN'
    this.hint = body.hint
    this.details = body.details
    this.requestId = headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsOf(headers.get('retry-after'))
  }
}

/** 400, 413 or 422: the request itself is wrong. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}
/** 401: no credential, or one that has ended. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}
/** 402: the balance does not cover the call. */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError'
}
/** 403: the credential does not allow this. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}
/** 404 */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}
/** 409: the state does not allow this. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}
/** 429: above a limit for longer than the client waits. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}
/** 5xx */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

const CLASSES: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
}

/** The error of a response that is not ok. */
export function errorOf(status: number, text: string, headers: Headers): ApiError {
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError)
  let body: ErrorBody = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed) body = parsed
  } catch {
    // A proxy answers with a page.
  }
  return new Class(status, body, headers)
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(value: string | null): number | undefined {
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000)
}
