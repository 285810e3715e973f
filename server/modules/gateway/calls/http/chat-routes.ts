import type { App } from '#platform/http/operation'
import type { Call, CallEvent, Calls, StreamedCall } from '../../core/call.ts'
import type { ChatChunk, ChatRequest } from '../../core/chat.ts'
import type { KeyRing } from '../../core/key.ts'
import { chatRequest } from './chat-request.ts'
import { ChatAnswer, ChatBody } from './chat-schema.ts'
import { installOpenaiErrors, openaiError } from './error-format.ts'
import { modelOperation, type ModelAnswer } from './operation.ts'

const EXAMPLE = {
  model: 'auto',
  messages: [{ role: 'user', content: 'Translate "good morning" into French' }],
  max_tokens: 64,
}

/** OpenAI's chat completions, in an application of their own: its errors have their own form. */
export function chatRoutes(app: App, { calls, ring }: { calls: Calls; ring: KeyRing }): void {
  void app.register(async chat => {
    installOpenaiErrors(chat, keyId => ring.keyOf(keyId))
    modelOperation(chat, ring, {
      url: '/v1/chat/completions',
      id: 'createChatCompletion',
      summary: 'Create a chat completion',
      body: ChatBody,
      example: EXAMPLE,
      answer: ChatAnswer,
      streams: true,
      idempotent: true,
      run: async ({ key, body, requestId, headers: { traceparent }, idempotencyKey, signal }) => {
        const request = chatRequest(body)
        const call: Call = {
          key,
          surface: 'chat',
          requestId,
          request,
          signal,
          ...(idempotencyKey ? { idempotencyKey } : {}),
          ...(typeof traceparent === 'string' ? { traceparent } : {}),
        }
        return request.stream ? streamed(await calls.stream(call), request) : completed(calls, call)
      },
    })
  })
}

async function completed(calls: Calls, call: Call): Promise<ModelAnswer> {
  const { completion, headers } = await calls.complete(call)
  return { body: completion, headers }
}

function streamed(stream: StreamedCall, { stream_options: options }: ChatRequest): ModelAnswer {
  return { frames: framesOf(stream, options?.include_usage === true), headers: stream.headers }
}

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/** The frames of a stream; leaving it before its end ends the call. */
function framesOf(stream: StreamedCall, withUsage: boolean): AsyncIterableIterator<string> {
  const events = stream.events[Symbol.asyncIterator]()
  let isOver = false
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      if (isOver) return { done: true, value: undefined }
      const { done, value } = await events.next()
      if (done) return { done: true, value: undefined }
      isOver = value.type !== 'chunks'
      return { done: false, value: framesOfEvent(value, stream, withUsage) }
    },
    async return() {
      isOver = true
      await events.return?.()
      return { done: true, value: undefined }
    },
  }
}

function framesOfEvent(event: CallEvent, { id, created, model }: StreamedCall, withUsage: boolean): string {
  if (event.type === 'chunks') return event.chunks.map(frame).join('')
  const common = { id, object: 'chat.completion.chunk' as const, created, model }
  if (event.type === 'done') {
    const usage: ChatChunk = { ...common, choices: [], usage: event.usage }
    return `${withUsage ? frame(usage) : ''}data: [DONE]\n\n`
  }
  const choices: ChatChunk['choices'] = [{ index: 0, delta: {}, finish_reason: 'error' }]
  return frame({ ...common, choices, error: openaiError(event.error) })
}
