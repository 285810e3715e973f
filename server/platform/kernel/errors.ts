import { STATUS_CODES } from './node/http.ts'

/** One row of an error table: `code` is stable for programs, `message` is the public text. */
export interface ErrorRow {
  readonly code: string
  readonly status: number
  readonly message: string
  /** What to do about it, where the error itself does not say it. */
  readonly hint?: string
}

/** The error that a violated rule of the database means to a caller. */
export interface ConstraintError extends ErrorRow {
  readonly hint?: string
}

export interface ErrorExtra {
  /** What to do about it: the field `hint` of the response. */
  hint?: string
  /** Machine-readable details for the caller. Never secrets. */
  details?: unknown
  /** Top-level fields that the interface shows beside the envelope, such as `suggestions`. */
  fields?: Record<string, unknown>
  headers?: Record<string, string>
  /** The account that is refused, where no principal is known yet: logged, never sent. */
  accountId?: string
  /** The private cause: logged, never sent. */
  cause?: unknown
}

/** An expected refusal: becomes the error envelope of the interface at the edge. */
export class ApiError extends Error {
  readonly row: ErrorRow
  readonly extra: ErrorExtra

  constructor(row: ErrorRow, extra: ErrorExtra = {}) {
    super(extra.hint ? `${row.message}: ${extra.hint}` : row.message, { cause: extra.cause })
    this.name = 'ApiError'
    this.row = row
    this.extra = extra
  }
}

/** The only way to create an API error: `throw apiError(AGENTS.AGENT_NOT_FOUND)`. */
export const apiError = (row: ErrorRow, extra?: ErrorExtra): ApiError => new ApiError(row, extra)

/** Builds an error table: code -> [status, public text, hint]. */
export function errorTable<Codes extends string>(
  rows: Record<Codes, readonly [number, string, string?]>,
): Record<Codes, ErrorRow> {
  const table = {} as Record<Codes, ErrorRow>
  for (const code of Object.keys(rows) as Codes[]) {
    const [status, message, hint] = rows[code]
    table[code] = { code, status, message, ...(hint === undefined ? {} : { hint }) }
  }
  return table
}

/**
 * The body of every error response (interface, "Errors"). `message` is exactly the public text, so that clients may
 * compare it; a validation error passes its sentences as `messages` instead.
 */
export function envelope(
  { status, code, message, hint: usual }: ErrorRow,
  { hint = usual, details, fields }: ErrorExtra = {},
  messages?: string[],
) {
  return {
    statusCode: status,
    message: messages ?? message,
    error: STATUS_CODES[status] ?? 'Error',
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
    ...fields,
  }
}

/** API errors that belong to no module. */
export const COMMON = errorTable({
  UNAUTHORIZED: [401, 'Unauthorized'],
  INVALID_AUTH_TYPE: [400, 'Invalid auth type'],
  FORBIDDEN: [403, 'Forbidden'],
  NOT_FOUND: [404, 'Not found'],
  CONFLICT: [409, 'Conflict'],
  VALIDATION_FAILED: [400, 'Validation failed'],
  STATE_CONFLICT: [409, 'Not allowed in this state'],
  RATE_LIMITED: [429, 'Rate limit exceeded'],
  ROUTE_NOT_FOUND: [404, 'Not found'],
  METHOD_NOT_ALLOWED: [405, 'Method not allowed'],
  BODY_TOO_LARGE: [413, 'Request body too large'],
  BAD_REQUEST: [400, 'Bad request'],
  INVALID_JSON: [400, 'The request body is not valid JSON'],
  INTERNAL_ERROR: [500, 'Internal error'],
  UNAVAILABLE: [503, 'Service unavailable'],
  IDEMPOTENCY_MISMATCH: [422, 'Idempotency-Key was used with another request'],
  IDEMPOTENCY_RUNNING: [409, 'A request with this Idempotency-Key is still running'],
})

/** A 400 whose message is the interface's array of validation strings. */
export class ValidationError extends ApiError {
  readonly messages: string[]
  constructor(messages: string[], extra: ErrorExtra = {}) {
    super(COMMON.VALIDATION_FAILED, extra)
    this.messages = messages
  }
}
export const invalid = (...messages: string[]): ValidationError => new ValidationError(messages)
