import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseAway } from '#platform/db'
import { COMMON, envelope, Fault, type FaultRow, ValidationFault } from '#platform/fault'
import type { App } from '#platform/http/route'
import { describeErrors } from './sentences.ts'

interface DatabaseError extends Error { code: string; constraint?: string; severity?: string }

const isDatabaseError = (error: unknown): error is DatabaseError =>
  error instanceof Error && 'severity' in error && 'code' in error

// PostgreSQL: text that its types cannot hold, from a caller's string that no schema forbids.
const UNSTORABLE = new Set(['22021', '22P05', '22P02'])
// Connection failure, too many connections, shutdown, lock or statement timeout.
const BUSY = /^(08...|53...|57P0[1-3]|55P03|57014|40001|40P01)$/

/** Every error leaves through here, in the envelope of the interface. */
export function installErrors(app: App, constraints: Readonly<Record<string, FaultRow>>): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const known = asFault(error, constraints)
    if (known) return sendFault(reply, known)
    return sendOther(request, reply, error)
  })
}

function asFault(error: Error, constraints: Readonly<Record<string, FaultRow>>): Fault | null {
  if (error instanceof Fault) return error
  if (!isDatabaseError(error)) return null
  const row = error.constraint ? constraints[error.constraint] : undefined
  if (row) return new Fault(row, { cause: error })
  if (UNSTORABLE.has(error.code)) return new ValidationFault(['the request holds text that cannot be stored (such as \\u0000)'])
  return null
}

function sendFault(reply: FastifyReply, error: Fault): void {
  const messages = error instanceof ValidationFault ? error.messages : undefined
  reply.request.refusal = { code: error.row.code, accountId: error.extra.accountId }
  void reply.code(error.row.status).headers(error.extra.headers ?? {}).send(envelope(error.row, error.extra, messages))
}

function sendOther(request: FastifyRequest, reply: FastifyReply, error: FastifyError): void {
  if (error.validation) {
    sendFault(reply, new ValidationFault(describeErrors(error.validation, error.validationContext ?? 'body')))
    return
  }
  if (error instanceof DatabaseAway || isDatabaseError(error) && BUSY.test(error.code)) {
    request.log.error({ err: error }, 'database unavailable')
    sendFault(reply, new Fault(COMMON.UNAVAILABLE, { hint: 'The database is busy or cannot be reached. Try again', headers: { 'Retry-After': '1' } }))
    return
  }
  if ((error.statusCode ?? 500) >= 500) {
    request.log.error({ err: error }, 'request failed')
    sendFault(reply, new Fault(COMMON.INTERNAL_ERROR, { hint: `Send this request id to the operator: ${request.id}` }))
    return
  }
  sendFrameworkError(reply, error)
}

/** Errors that Fastify raises itself (bad JSON, too large, bad URL). Another media type is a 400 here. */
export function sendFrameworkError(reply: FastifyReply, { statusCode: status = 400, message }: FastifyError): void {
  const row = status === 413 ? COMMON.BODY_TOO_LARGE : { ...COMMON.BAD_REQUEST, status: status === 415 ? 400 : status }
  sendFault(reply, new Fault(row, { hint: message }))
}
