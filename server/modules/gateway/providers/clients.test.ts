import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { ProgrammableUpstream } from '#test'

// The official clients accept what the programmable upstream answers: its wire forms are those of the providers.

const WEATHER = { name: 'get_weather', arguments: '{"city":"Bonn"}' }
const PARAMETERS = { type: 'object' as const, properties: { city: { type: 'string' } } }

let server: ProgrammableUpstream
let openai: OpenAI
let anthropic: Anthropic

before(async () => {
  server = await ProgrammableUpstream.open()
  openai = new OpenAI({ apiKey: 'test', baseURL: server.url, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: 'test', baseURL: server.url.replace('/v1', ''), maxRetries: 0 })
})
after(() => server.close())

test('the openai client reads chat completions, whole and streamed', async () => {
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const whole = await openai.chat.completions.create({ model: 'm', messages })
  assert.equal(whole.choices[0]?.message.content, 'Hello from m')
  assert.equal(whole.usage?.total_tokens, 13)
  server.next({ tools: [WEATHER] })
  const stream = openai.chat.completions.stream({
    model: 'm',
    messages,
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: PARAMETERS } }],
  })
  const final = await stream.finalChatCompletion()
  assert.deepEqual(final.choices[0]?.message.tool_calls?.[0], {
    id: 'call_up_0',
    type: 'function',
    function: WEATHER,
  })
})

test('the openai client reads responses, whole and streamed', async () => {
  const whole = await openai.responses.create({ model: 'm', input: 'Hi' })
  assert.equal(whole.output_text, 'Hello from m')
  assert.equal(whole.usage?.total_tokens, 13)
  server.next({ text: 'one two three', reasoning: 'Hm' }, { tools: [WEATHER] })
  const text = await openai.responses.stream({ model: 'm', input: 'Hi' }).finalResponse()
  assert.equal(text.output_text, 'one two three')
  const called = await openai.responses.stream({ model: 'm', input: 'Hi' }).finalResponse()
  const [item] = called.output
  assert.equal(item?.type === 'function_call' && item.arguments, WEATHER.arguments)
})

test('the openai client reads embeddings', async () => {
  const { data } = await openai.embeddings.create({ model: 'm', input: ['a', 'b'] })
  assert.deepEqual(
    data.map(({ embedding }) => embedding.map(value => Math.round(value * 10))),
    [
      [6, 8],
      [6, 8],
    ],
  )
})

test('the anthropic client reads messages, whole and streamed', async () => {
  const request = { model: 'm', max_tokens: 64, messages: [{ role: 'user' as const, content: 'Hi' }] }
  const whole = await anthropic.messages.create(request)
  assert.equal(whole.content[0]?.type === 'text' && whole.content[0].text, 'Hello from m')
  assert.equal(whole.usage.input_tokens, 10)
  server.next({ text: 'one two three', reasoning: 'Hm' }, { tools: [WEATHER] })
  const text = await anthropic.messages.stream(request).finalMessage()
  assert.deepEqual(
    text.content.map(block => block.type),
    ['thinking', 'text'],
  )
  const called = await anthropic.messages.stream(request).finalMessage()
  const [block] = called.content
  assert.deepEqual(block?.type === 'tool_use' && block.input, { city: 'Bonn' })
  assert.equal(called.stop_reason, 'tool_use')
})

test('both clients read the errors', async () => {
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  server.next({ fault: 'rate_limited' }, { fault: 'server_error' })
  await assert.rejects(openai.chat.completions.create({ model: 'm', messages }), { status: 429 })
  await assert.rejects(anthropic.messages.create({ model: 'm', max_tokens: 9, messages }), { status: 500 })
})
