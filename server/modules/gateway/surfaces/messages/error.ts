import type { App } from '#platform/http/operation'
import { envelope, ValidationError, type ApiError } from '#platform/kernel/errors'
import { isRecord } from '#platform/kernel/unknown'

/** Names of errors in Anthropic's API by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

/** An error as Anthropic's clients read it, beside the status and text that every error of the service has. */
export function messagesError(error: ApiError, requestId: string) {
  const messages = error instanceof ValidationError ? error.messages : undefined
  return errorOf(envelope(error.row, error.extra, messages), requestId)
}

/** Sends the errors of an application's operations in the form of Anthropic, to every caller. */
export function installMessagesErrors(app: App): void {
  app.addHook('preSerialization', async (request, reply, payload) => {
    // Where Anthropic's clients look for it.
    void reply.header('request-id', request.id)
    const isError = isRecord(payload) && typeof payload['statusCode'] === 'number'
    return isError && typeof payload['error'] === 'string' ? errorOf(payload, request.id) : payload
  })
}

function errorOf(body: Record<string, unknown>, requestId: string) {
  const { statusCode, message, hint, details } = body
  const status = Number(statusCode)
  const text = Array.isArray(message) ? message.join('; ') : String(message)
  // Clients show the text at the top, so it says what to do as well.
  const shown = typeof hint === 'string' ? `${text}: ${hint}` : text
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return {
    ...body,
    message: shown,
    type: 'error' as const,
    error: { type, message: shown, details: details ?? null },
    request_id: requestId,
  }
}
