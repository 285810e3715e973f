import type { ModelAnswer, ModelRequest } from '../../calls/index.ts'
import type { Call, CallEvent, Calls, StreamedCall } from '../../core/call.ts'
import { framesOf, namedFrame } from '../frames.ts'
import { messageOf } from './answer.ts'
import { messagesError } from './error.ts'
import { requestOf } from './request.ts'
import type { MessagesBody } from './schema.ts'
import { MessageStream } from './stream.ts'

/** Answers a request in Anthropic's form, as one message or as a stream of events. */
export async function answerMessages(
  calls: Calls,
  { key, requestId, signal, body, idempotencyKey }: ModelRequest<MessagesBody>,
): Promise<ModelAnswer> {
  const call: Call = {
    key,
    surface: 'messages',
    requestId,
    signal,
    request: requestOf(body),
    ...(idempotencyKey ? { idempotencyKey } : {}),
  }
  // Where Anthropic's clients look for the id.
  const named = { 'request-id': requestId }
  if (body.stream) {
    const stream = await calls.stream(call)
    const frames = framesOf(stream.events, translator(stream, requestId))
    return { frames, headers: { ...stream.headers, ...named } }
  }
  const { completion, headers } = await calls.complete(call)
  return { body: messageOf(completion), headers: { ...headers, ...named } }
}

function translator({ id, model }: StreamedCall, requestId: string): (event: CallEvent) => string {
  let stream: MessageStream | undefined
  return event => {
    if (event.type === 'error') return namedFrame(messagesError(event.error, requestId))
    const chunks = event.type === 'chunks' ? event.chunks : []
    const begins = !stream
    stream ??= new MessageStream({ id, model, meta: chunks[0]?.['svc_meta'] })
    let frames = begins ? stream.begin().map(namedFrame).join('') : ''
    for (const chunk of chunks) frames += stream.push(chunk).map(namedFrame).join('')
    return event.type === 'done' ? frames + stream.end(event.usage).map(namedFrame).join('') : frames
  }
}
