import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ChatChunk, ChatRequest } from '../../core/chat.ts'
import type { Model } from '../../core/model.ts'
import type { UpstreamCall } from '../../core/upstream.ts'
import { simulateCompletion, simulateEmbeddings, simulateStream } from './index.ts'
import { valueOfSchema } from './schema-value.ts'

const model: Model = {
  id: 'gpt-6-luna',
  provider: 'openai',
  tier: 'economy',
  context: 1000,
  maxOutput: 1000,
  capabilities: { vision: true, tools: true, json_schema: true, reasoning: true },
  api: 'openai-chat',
}
const callOf = (request: Partial<ChatRequest>, more: Partial<UpstreamCall> = {}): UpstreamCall => ({
  model,
  request: {
    model: 'auto',
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    ...request,
  },
  maxTokens: 500,
  signal: new AbortController().signal,
  firstByteMs: 15_000,
  totalMs: 15_000,
  ...more,
})
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 3 } },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
}

async function collect(call: UpstreamCall): Promise<ChatChunk[]> {
  const chunks: ChatChunk[] = []
  for await (const batch of (await simulateStream(call)).chunks) chunks.push(...batch)
  return chunks
}

test('answers the same request with the same text and counts its tokens', async () => {
  const first = await simulateCompletion(callOf({}))
  const second = await simulateCompletion(callOf({}))
  assert.deepEqual(first.completion.choices, second.completion.choices)
  assert.match(first.completion.choices[0]?.message.content ?? '', /^Simulated answer of gpt-6-luna/)
  assert.equal(first.usage?.input, 6)
  assert.ok(first.usage && first.usage.output > 5)
})

test('streams the text of the answer, with the role in the first chunk', async () => {
  const whole = await simulateCompletion(callOf({ stream: true }))
  const chunks = await collect(callOf({ stream: true }))
  const text = chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('')
  assert.equal(text, whole.completion.choices[0]?.message.content)
  assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant')
  assert.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'stop')
})

test('ends at the limit of tokens with the finish reason length', async () => {
  const { completion, usage } = await simulateCompletion(callOf({}, { maxTokens: 4 }))
  assert.equal(completion.choices[0]?.finish_reason, 'length')
  assert.equal(usage?.output, 4)
})

test('calls a tool that the message mentions, or that tool_choice requires', async () => {
  for (const request of [
    { tools: [weather] },
    { tools: [weather], tool_choice: 'required', messages: [{ role: 'user' as const, content: 'Hello' }] },
    { tools: [weather], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
  ]) {
    const { completion } = await simulateCompletion(callOf(request))
    const [call] = completion.choices[0]?.message.tool_calls ?? []
    assert.equal(call?.function.name, 'get_weather')
    assert.equal(JSON.parse(call.function.arguments).days, 3)
    assert.equal(completion.choices[0]?.finish_reason, 'tool_calls')
    const chunks = await collect(callOf({ ...request, stream: true }))
    const deltas = chunks.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
    assert.equal(deltas.map(delta => delta.function?.arguments).join(''), call.function.arguments)
    assert.ok(deltas[0]?.id)
  }
})

test('answers with text after a tool, and where tool_choice is none', async () => {
  const afterTool = await simulateCompletion(
    callOf({
      tools: [weather],
      messages: [{ role: 'tool', tool_call_id: 'a', content: 'weather: 20 degrees' }],
    }),
  )
  assert.match(afterTool.completion.choices[0]?.message.content ?? '', /20 degrees/)
  const none = await simulateCompletion(callOf({ tools: [weather], tool_choice: 'none' }))
  assert.equal(none.completion.choices[0]?.finish_reason, 'stop')
})

test('answers several choices, and sees images', async () => {
  const content = [
    { type: 'text' as const, text: 'Describe this' },
    { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } },
  ]
  const { completion, usage } = await simulateCompletion(
    callOf({ n: 3, messages: [{ role: 'user', content }] }),
  )
  assert.deepEqual(
    completion.choices.map(({ index }) => index),
    [0, 1, 2],
  )
  assert.match(completion.choices[2]?.message.content ?? '', /with 1 image/)
  assert.equal(usage?.input, 52)
})

test('answers the wished number of words', async () => {
  const { completion } = await simulateCompletion(
    callOf({ messages: [{ role: 'user', content: 'Explain tides in 40 words' }] }),
  )
  assert.equal(completion.choices[0]?.message.content?.split(' ').length, 40)
})

test('stops a stream whose signal is aborted', async () => {
  const controller = new AbortController()
  const stream = await simulateStream(callOf({ stream: true }, { signal: controller.signal }))
  const read = async () => {
    for await (const _ of stream.chunks) controller.abort()
  }
  await assert.rejects(read(), { name: 'AbortError' })
  assert.ok((stream.usage()?.output ?? 99) < 3)
})

const SCHEMAS: object[] = [
  { type: 'object', properties: { a: { type: 'string', minLength: 20 } }, required: ['a'] },
  { type: 'array', minItems: 3, uniqueItems: true, items: { type: 'integer', minimum: 7 } },
  { type: 'array', minItems: 2, uniqueItems: true, items: { enum: ['x', 'y', 'z'] } },
  { anyOf: [{ type: 'object', required: ['b'], properties: { b: { const: 4 } } }, { type: 'null' }] },
  { type: ['string', 'null'], enum: ['one', null] },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: 'number', multipleOf: 0.25, minimum: 1.1 },
  { type: 'integer', exclusiveMinimum: 5, maximum: 6 },
  { type: 'number', maximum: -3 },
  { type: 'string', pattern: '^[A-Z]{3}-\\d{4}(x|y)?[^,]$' },
  { type: 'string', pattern: '^(?:\\+|00)[1-9]\\d{6,14}$' },
  { type: 'string', format: 'date-time' },
  { type: 'string', maxLength: 3 },
  {
    allOf: [{ $ref: '#/$defs/p' }, { required: ['q'], properties: { q: { type: 'boolean' } } }],
    $defs: { p: { type: 'object', required: ['p'], properties: { p: { type: 'number' } } } },
  },
  {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        required: ['v', 'next', 'children'],
        additionalProperties: false,
        properties: {
          v: { type: 'string' },
          next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
      },
    },
  },
]

test('makes values that fit their schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const schema of SCHEMAS) {
    const value = valueOfSchema(schema)
    assert.ok(ajv.validate(schema, value), `${JSON.stringify(schema)} -> ${JSON.stringify(value)}`)
  }
})

test('bounds the value of a schema that requires itself', () => {
  const width = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, { $ref: '#' }]))
  const value = valueOfSchema({ type: 'object', properties: width, required: Object.keys(width) })
  assert.ok(JSON.stringify(value).length < 100_000)
})

test('embeds each input as a vector of length 1', () => {
  const { body, usage } = simulateEmbeddings('text-embedding-3-small', {
    input: ['one two', 'three'],
    dimensions: 8,
  })
  assert.equal(usage.input, 3)
  const data = body.data as { index: number; embedding: number[] }[]
  assert.deepEqual(
    data.map(({ embedding }) => embedding.length),
    [8, 8],
  )
  assert.ok(Math.abs(Math.hypot(...(data[0]?.embedding ?? [])) - 1) < 1e-9)
  const packed = simulateEmbeddings('m', { input: 'one two', dimensions: 8, encoding_format: 'base64' })
  const [{ embedding }] = packed.body.data as [{ embedding: string }]
  assert.equal(Buffer.from(embedding, 'base64').length, 32)
})
