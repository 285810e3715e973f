import { STATUS_CODES } from '#platform/kernel/node/http'
import type { Socket } from 'node:net'
import { COMMON, envelope, apiError, errorTable } from '#platform/kernel/errors'
import { hook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import { newId } from '#platform/kernel/id'
import type { Log } from '#platform/adapters/log/log'

/** Errors of the protocol itself. */
const PROTOCOL = errorTable({
  HEADERS_TOO_LARGE: [431, 'Request header fields too large'],
  REQUEST_TIMEOUT: [408, 'Request timeout'],
  VERSION_NOT_SUPPORTED: [505, 'HTTP version not supported'],
})

/** Responds to bytes that Node's HTTP parser refused, in the same envelope and with the same headers as every other error. */
export function refuseMalformed(log: Log): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // The client is gone: nobody reads a response.
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
    const row =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? PROTOCOL.HEADERS_TOO_LARGE
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? PROTOCOL.REQUEST_TIMEOUT
          : COMMON.BAD_REQUEST
    const id = newId()
    const body = JSON.stringify(envelope(row, { hint: HINTS[row.code] }))
    const head = [
      `HTTP/1.1 ${row.status} ${STATUS_CODES[row.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${id}`,
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      'connection: close',
    ]
    log.info(
      { requestId: id, status: row.status, ip: socket.remoteAddress, cause: error.code },
      'malformed request',
    )
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
}

const HINTS: Record<string, string> = {
  HEADERS_TOO_LARGE: 'the request line and the headers may have at most 16 KiB',
  REQUEST_TIMEOUT: 'the request did not arrive in time',
  BAD_REQUEST: 'this is not a well-formed HTTP/1.1 request',
}

/** Refuses what the parser lets through: another version of HTTP, and HTTP/1.1 without exactly one Host header (RFC 9112, 3.2). */
export function installProtocol(app: App): void {
  app.addHook(
    'onRequest',
    hook(({ raw: { httpVersion, rawHeaders } }) => {
      if (httpVersion !== '1.0' && httpVersion !== '1.1')
        throw apiError(PROTOCOL.VERSION_NOT_SUPPORTED, { hint: 'Send HTTP/1.1' })
      const hosts = countHosts(rawHeaders)
      if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
        throw apiError(COMMON.BAD_REQUEST, { hint: 'Send exactly one Host header' })
    }),
  )
}

/** Names and values take turns in `rawHeaders`. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count++
  return count
}
