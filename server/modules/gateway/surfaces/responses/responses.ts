import type { ModelAnswer, ModelRequest } from '../../calls/index.ts'
import type { Call, CallEvent, Calls, StreamedCall } from '../../core/call.ts'
import { framesOf, namedFrame } from '../frames.ts'
import { responseOf } from './answer.ts'
import { requestOf } from './request.ts'
import type { ResponsesBody } from './schema.ts'
import { ResponseStream } from './stream.ts'

/** Answers a request in the form of OpenAI's Responses, as one response or as a stream of events. */
export async function answerResponses(
  calls: Calls,
  { key, requestId, signal, body, idempotencyKey }: ModelRequest<ResponsesBody>,
): Promise<ModelAnswer> {
  const call: Call = {
    key,
    surface: 'responses',
    requestId,
    signal,
    request: requestOf(body),
    ...(idempotencyKey ? { idempotencyKey } : {}),
  }
  if (body.stream) {
    const stream = await calls.stream(call)
    return { frames: framesOf(stream.events, translator(stream, body)), headers: stream.headers }
  }
  const { completion, headers } = await calls.complete(call)
  return { body: responseOf(body, completion), headers }
}

function translator({ id, created, model }: StreamedCall, body: ResponsesBody): (event: CallEvent) => string {
  let stream: ResponseStream | undefined
  return event => {
    const chunks = event.type === 'chunks' ? event.chunks : []
    const begins = !stream
    stream ??= new ResponseStream(body, { id, created, model, meta: chunks[0]?.['svc_meta'] })
    const events = begins ? stream.begin() : []
    for (const chunk of chunks) events.push(...stream.push(chunk))
    if (event.type === 'done') events.push(...stream.end(event.usage))
    if (event.type === 'error') events.push(...stream.fail(event.error))
    return events.map(namedFrame).join('')
  }
}
