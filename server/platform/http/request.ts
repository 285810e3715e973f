import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../kernel/errors.ts'
import { goneSignal } from './gone.ts'

/** The parts of a request that few operations read: plain data, no framework object. */
export interface HttpRequest {
  ip: string
  /** The addresses of the client and the trusted proxies; without trusted proxies there are none. */
  ips: readonly string[] | undefined
  url: string
  headers: IncomingHttpHeaders
  cookies: Readonly<Record<string, string | undefined>>
  /** Present with `rawBody` only. */
  rawBody: Buffer | null
  /** Present with `streamBody` only, unless the body is empty. */
  stream: Readable | null
  /** Aborts when the client closes the connection. */
  closed(): AbortSignal
}

export const httpOf = (request: FastifyRequest): HttpRequest => ({
  ip: request.ip,
  ips: request.ips,
  url: request.url,
  headers: request.headers,
  cookies: request.cookies,
  rawBody: request.rawBody,
  stream: request.routeOptions.config.streamBody && request.body instanceof Readable ? request.body : null,
  closed: () => goneSignal(request.raw.socket),
})

/** The `Idempotency-Key` of a request, or null without it. ApiError 400 for a key that is too long or repeated. */
export function idempotencyKeyOf(key: string | string[] | undefined): string | null {
  if (key === undefined || key === '') return null
  if (Array.isArray(key) || key.length > 255)
    throw invalid('Idempotency-Key must be one value of at most 255 characters')
  return key
}
