import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { DatabaseAway } from '#platform/db'
import { envelope, Fault, type FaultRow, ValidationFault } from '#platform/fault'
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

function sendFault(reply: FastifyReply, { row, message, extra, ...rest }: Fault): void {
  const messages = 'messages' in rest ? (rest.messages as string[]) : message
  const more = { code: row.code, ...(extra.details === undefined ? {} : { details: extra.details }), ...extra.fields }
  void reply.code(row.status).headers(extra.headers ?? {}).send(envelope(row.status, messages, more))
}

function sendOther(request: FastifyRequest, reply: FastifyReply, error: FastifyError): void {
  if (error.validation) {
    void reply.code(400).send(envelope(400, describeErrors(error.validation, error.validationContext ?? 'body'), { code: 'VALIDATION_FAILED' }))
    return
  }
  if (error instanceof DatabaseAway || isDatabaseError(error) && BUSY.test(error.code)) {
    request.log.error({ err: error }, 'database unavailable')
    void reply.code(503).header('Retry-After', '1').send(envelope(503, 'The database is busy or away: try again', { code: 'UNAVAILABLE' }))
    return
  }
  const status = error.statusCode ?? 500
  if (status >= 500) {
    request.log.error({ err: error }, 'request failed')
    void reply.code(500).send(envelope(500, `Internal error. Tell the operator this request id: ${request.id}`))
    return
  }
  // Fastify's own refusals: bad JSON, too large, bad URL. Another media type is a 400 here.
  void reply.code(status === 415 ? 400 : status).send(envelope(status === 415 ? 400 : status, error.message))
}
