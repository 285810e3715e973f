import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseAway } from '#platform/kernel/db'
import { COMMON, envelope, ApiError, type ConstraintError, ValidationError } from '#platform/kernel/errors'
import type { App } from '#platform/http/operation'
import { describeErrors } from '#platform/http/validation-messages'

interface DatabaseError extends Error {
  code: string
  constraint?: string
  severity?: string
}

/** For a 503 that does not say when to try again. */
const RETRY_SECONDS = '5'

const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error && 'severity' in error && 'code' in error

// PostgreSQL: text or a date that its types cannot hold, from a caller's string that no schema forbids.
const UNSTORABLE = new Set(['22021', '22P05', '22P02', '22007', '22008', '22009'])
// Connection failure, no resources (connections, disk), an error of the disk, shutdown, lock or statement timeout.
const BUSY = /^(08...|53...|58030|57P0[1-3]|55P03|57014|40001|40P01)$/

/** Every error leaves through here, in the envelope of the interface. */
export function installErrors(app: App, constraints: Readonly<Record<string, ConstraintError>>): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = asApiError(error, constraints)
    if (known) return sendError(reply, known)
    return sendOther(request, reply, error)
  })
}

function asApiError(error: Error, constraints: Readonly<Record<string, ConstraintError>>): ApiError | null {
  if (error instanceof ApiError) return error
  if (!isDatabaseError(error)) return null
  const row = error.constraint ? constraints[error.constraint] : undefined
  if (row) return new ApiError(row, { hint: row.hint, cause: error })
  if (UNSTORABLE.has(error.code))
    return new ValidationError([
      'the request contains text or a date that cannot be stored (such as \\u0000)',
    ])
  return null
}

function sendError(reply: FastifyReply, error: ApiError): void {
  const messages = error instanceof ValidationError ? error.messages : undefined
  reply.request.refusal = { code: error.row.code, accountId: error.extra.accountId }
  void reply
    .code(error.row.status)
    .headers({
      ...(error.row.status === 503 ? { 'Retry-After': RETRY_SECONDS } : {}),
      ...error.extra.headers,
    })
    .send(envelope(error.row, error.extra, messages))
}

function sendOther(request: FastifyRequest, reply: FastifyReply, error: FastifyError): void {
  if (error.validation) {
    sendError(reply, new ValidationError(describeErrors(error.validation, error.validationContext ?? 'body')))
    return
  }
  if (error instanceof DatabaseAway || (isDatabaseError(error) && BUSY.test(error.code))) {
    request.log.error({ err: error }, 'database unavailable')
    sendError(
      reply,
      new ApiError(COMMON.UNAVAILABLE, {
        hint: 'The database is busy or cannot be reached. Try again',
        headers: { 'Retry-After': '1' },
      }),
    )
    return
  }
  if ((error.statusCode ?? 500) >= 500) {
    if (hasLeft(request, error)) request.log.info('the client left before the stream began')
    else request.log.error({ err: error }, 'request failed')
    sendError(
      reply,
      new ApiError(COMMON.INTERNAL_ERROR, { hint: `Send this request id to the operator: ${request.id}` }),
    )
    return
  }
  sendFrameworkError(reply, error)
}

/** A stream that is sent to a connection which was closed before: nothing of the service has failed. */
const hasLeft = ({ raw: { socket } }: FastifyRequest, { code }: FastifyError): boolean =>
  code === 'ERR_STREAM_PREMATURE_CLOSE' && socket.destroyed

// Another media type, and a part of the path that is longer than any id.
const BAD_REQUESTS = new Set([414, 415])

/** Errors that Fastify raises itself (bad JSON, too large, bad URL). */
export function sendFrameworkError(
  reply: FastifyReply,
  { statusCode: status = 400, message }: FastifyError,
): void {
  const row =
    status === 413
      ? COMMON.BODY_TOO_LARGE
      : { ...COMMON.BAD_REQUEST, status: BAD_REQUESTS.has(status) ? 400 : status }
  sendError(reply, new ApiError(row, { hint: message }))
}
