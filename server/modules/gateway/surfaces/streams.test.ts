import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { CallEvent, Calls } from '../core/call.ts'
import type { ChatChunk } from '../core/chat.ts'
import { callPart, chunk, routingKey, usage } from './chunks.fixture.ts'
import type { ModelAnswer, ModelRequest } from '../calls/index.ts'
import { framesOf } from './frames.ts'
import { answerMessages } from './messages/messages.ts'
import { answerResponses } from './responses/responses.ts'

/** The pipeline with one answer. */
const answering = (events: () => AsyncIterable<CallEvent>): Calls => ({
  complete: () => assert.fail('every request of this test is a stream'),
  stream: async () => ({ id: 'gen-1', created: 1, model: 'model-1', headers: {}, events: events() }),
})

async function* delivered(chunks: readonly ChatChunk[]): AsyncGenerator<CallEvent> {
  for (const each of chunks) yield { type: 'chunks', chunks: [each] }
  yield { type: 'done', usage }
}

async function* broken(): AsyncGenerator<CallEvent> {
  yield { type: 'chunks', chunks: [chunk({ content: 'Look' })] }
  yield { type: 'error', error: apiError(COMMON.UNAVAILABLE, { hint: 'Try again' }) }
}

const request = <Body>(body: Body): ModelRequest<Body> => ({
  key: routingKey(),
  body,
  requestId: 'req-1',
  headers: {},
  idempotencyKey: undefined,
  signal: new AbortController().signal,
})

const bodyOf = (answer: ModelAnswer): Response => {
  assert.ok('frames' in answer)
  const body = Readable.toWeb(Readable.from(answer.frames)) as ReadableStream
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const sentBody = (init: { body?: unknown } | undefined): never => {
  assert.ok(typeof init?.body === 'string')
  return JSON.parse(init.body) as never
}

const anthropic = (calls: Calls): Anthropic =>
  new Anthropic({
    apiKey: 'rk_test',
    maxRetries: 0,
    fetch: async (_, init) => bodyOf(await answerMessages(calls, request(sentBody(init)))),
  })

const openai = (calls: Calls): OpenAI =>
  new OpenAI({
    apiKey: 'rk_test',
    maxRetries: 0,
    fetch: async (_, init) => bodyOf(await answerResponses(calls, request(sentBody(init)))),
  })

const MIXED = [
  chunk({ role: 'assistant', reasoning_content: 'Hm' }),
  chunk({ content: 'Looking' }),
  chunk(callPart(0, { id: 'call_1', name: 'look', json: '{"a":' })),
  chunk(callPart(1, { id: 'call_2', name: 'wait', json: '{"b":' })),
  chunk(callPart(0, { json: '1}' })),
  chunk(callPart(1, { json: '2}' })),
  chunk({}, 'tool_calls'),
]
const QUESTION = { model: 'auto', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }

test('the client of Anthropic puts thoughts, text and mixed calls together', async () => {
  const message = await anthropic(answering(() => delivered(MIXED)))
    .messages.stream(QUESTION)
    .finalMessage()
  assert.deepEqual(
    message.content.map(block => ({ ...block })),
    [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'text', text: 'Looking', citations: null },
      { type: 'tool_use', id: 'call_1', name: 'look', input: { a: 1 } },
      { type: 'tool_use', id: 'call_2', name: 'wait', input: { b: 2 } },
    ],
  )
  assert.equal(message.stop_reason, 'tool_use')
  assert.equal(message.usage.input_tokens, 10)
  assert.equal(message.usage.cache_read_input_tokens, 60)
})

test('the client of Anthropic throws our error where an answer breaks off', async () => {
  const stream = anthropic(answering(broken)).messages.stream(QUESTION)
  const texts: string[] = []
  stream.on('text', text => texts.push(text))
  await assert.rejects(stream.finalMessage(), (error: unknown) => {
    assert.ok(error instanceof Anthropic.APIError)
    assert.equal(error.type, 'overloaded_error')
    assert.match(error.message, /Service unavailable/)
    return true
  })
  assert.deepEqual(texts, ['Look'])
})

test('the client of OpenAI puts thoughts, text and mixed calls together', async () => {
  const response = await openai(answering(() => delivered(MIXED)))
    .responses.stream({ model: 'auto', input: 'Hello' })
    .finalResponse()
  assert.equal(response.output_text, 'Looking')
  assert.deepEqual(
    response.output.map(item => (item.type === 'function_call' ? [item.name, item.arguments] : item.type)),
    ['reasoning', 'message', ['look', '{"a":1}'], ['wait', '{"b":2}']],
  )
  assert.equal(response.status, 'completed')
  assert.equal(response.usage?.input_tokens_details.cached_tokens, 60)
})

test('the client of OpenAI sees that an answer broke off', async () => {
  const stream = await openai(answering(broken)).responses.create({
    model: 'auto',
    input: 'Hello',
    stream: true,
  })
  const types: string[] = []
  for await (const event of stream) {
    types.push(event.type)
    if (event.type === 'response.failed') assert.match(event.response.error?.message ?? '', /Try again/)
  }
  assert.equal(types.at(-1), 'response.failed')
})

test('a reader who leaves ends the call at once', async () => {
  let hasLeft = false
  const waiting: AsyncIterableIterator<CallEvent> = {
    [Symbol.asyncIterator]: () => waiting,
    // The provider is silent.
    next: () => new Promise(() => undefined),
    return: async () => {
      hasLeft = true
      return { done: true, value: undefined }
    },
  }
  const frames = framesOf(waiting, () => '')
  void frames.next()
  await frames.return?.()
  assert.ok(hasLeft)
})
