import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { contextOf, register, type App, type OperationInfo } from '#platform/http/operation'
import { goneSignal } from '#platform/http/gone'
import { media, type MediaResponse } from '#platform/http/response'
import type { Static, TSchema } from '#platform/http/type'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { CallHeaders } from '../../core/call.ts'
import type { KeyRing, RoutingKey } from '../../core/key.ts'
import { EventStream } from './event-stream.ts'

const MEBIBYTE = 1024 * 1024

/** A request of a routing key, as its operation gets it. */
export interface ModelRequest<Body> {
  key: RoutingKey
  body: Body
  requestId: string
  headers: IncomingHttpHeaders
  idempotencyKey: string | undefined
  /** Aborts when the caller leaves before the answer begins. */
  signal: AbortSignal
}

/** A JSON body, or the frames of a stream of server-sent events. */
export type ModelAnswer =
  | { body: unknown; headers: CallHeaders }
  | { frames: AsyncIterable<string>; headers: CallHeaders }

/** What an operation that calls a model declares: the rest is the same for all. */
export interface ModelOperation<B extends TSchema> extends Pick<
  OperationInfo,
  'url' | 'id' | 'summary' | 'description' | 'example' | 'errors' | 'excludeErrors' | 'idempotent'
> {
  body: B
  /** Schema of the answer, for the document. */
  answer: TSchema
  streams?: boolean
  /** 201 unless the clients of the API expect 200. */
  status?: 200 | 201
  run(request: ModelRequest<Static<B>>): Promise<ModelAnswer>
}

/**
 * An operation that calls a model with a routing key: bodies of 20 MiB whose unknown fields stay, answers that are JSON
 * or a stream, and the limits of the key instead of the general ones.
 */
export function modelOperation<B extends TSchema>(app: App, ring: KeyRing, spec: ModelOperation<B>): void {
  const { answer, streams, run, status = 201, ...info } = spec
  register(
    app,
    {
      ...info,
      method: 'POST',
      tag: 'Routing gateway',
      access: { accept: ['rk'] },
      skipGeneralLimits: true,
      openBody: true,
      modelErrors: true,
      bodyLimit: 20 * MEBIBYTE,
      errors: [402, 404, 429, 502, 504, ...(info.errors ?? [])],
      success: [status, answer],
      ...(streams ? { alsoProduces: 'text/event-stream' } : {}),
    },
    async request => {
      // The schema of the body has validated it.
      const body = request.body as Static<B>
      const signal = goneSignal(request.raw.socket)
      return { status, body: answerOf(await run(requestOf(request, { ring, body, signal }))) }
    },
  )
}

function requestOf<Body>(
  request: FastifyRequest,
  { ring, body, signal }: { ring: KeyRing; body: Body; signal: AbortSignal },
): ModelRequest<Body> {
  const { principal, requestId } = contextOf(request)
  if (principal.via !== 'routing-key') throw apiError(COMMON.INVALID_AUTH_TYPE)
  const { headers } = request
  const key = headers['idempotency-key']
  return {
    key: ring.keyOf(principal.keyId),
    body,
    requestId,
    headers,
    idempotencyKey: Array.isArray(key) ? key.join(',') : key,
    signal,
  }
}

function answerOf(answer: ModelAnswer): MediaResponse {
  const extra = { headers: answer.headers }
  if ('frames' in answer)
    return media(new EventStream(answer.frames), 'text/event-stream; charset=utf-8', extra)
  return media(JSON.stringify(answer.body), 'application/json; charset=utf-8', extra)
}
