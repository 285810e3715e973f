import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ProviderTrial, type ProviderAndApi } from '#test'
import type { ChatMessage } from '../core/chat.ts'

let trial: ProviderTrial
before(async () => {
  trial = await ProviderTrial.open('openai', 'anthropic', 'mistral', 'deepseek', 'moonshot')
})
after(() => trial.close())

/** As Moonshot, OpenAI, Mistral and an unknown provider write them. */
const IDS = ['functions.get_weather:0', 'call_PTLP8xhu3uwZk4l3nlnrrJha', 'aB3dE6gH9', `id-${'x'.repeat(70)}`]
const MESSAGES: ChatMessage[] = [
  { role: 'user', content: 'How is the weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: IDS.map(id => ({
      id,
      type: 'function' as const,
      function: { name: 'get_weather', arguments: '{}' },
    })),
  },
  ...IDS.map(id => ({ role: 'tool' as const, tool_call_id: id, content: 'rain' })),
]

/** The ids of the calls and of their results that a provider receives, by the names of its API. */
async function received(api: ProviderAndApi, call: string, result: string) {
  const text = JSON.stringify(await trial.sent(api, { messages: MESSAGES }))
  const all = (pattern: string) => [...text.matchAll(new RegExp(pattern, 'g'))].map(([, id = '']) => id)
  return { calls: all(call), results: all(result) }
}

test('ids of calls have the form that a provider accepts, and calls keep their results', async () => {
  const chat = ['"id":"([^"]*)","type":"function"', '"tool_call_id":"([^"]*)"'] as const
  const cases: [ProviderAndApi, call: string, result: string, form: RegExp, unchanged: number[]][] = [
    [['mistral', 'openai-chat'], ...chat, /^[a-zA-Z0-9]{9}$/, [2]],
    [['openai', 'openai-chat'], ...chat, /^.{1,40}$/, [0, 1, 2]],
    [['deepseek', 'openai-chat'], ...chat, /./, [0, 1, 2, 3]],
    [
      ['openai', 'openai-responses'],
      '"type":"function_call","call_id":"([^"]*)"',
      '"type":"function_call_output","call_id":"([^"]*)"',
      /^.{1,64}$/,
      [0, 1, 2],
    ],
    [
      ['anthropic', 'anthropic-messages'],
      '"type":"tool_use","id":"([^"]*)"',
      '"tool_use_id":"([^"]*)"',
      /^[a-zA-Z0-9_-]{1,64}$/,
      [1, 2],
    ],
  ]
  for (const [api, call, result, form, unchanged] of cases) {
    const { calls, results } = await received(api, call, result)
    assert.equal(new Set(calls).size, IDS.length, api.join())
    assert.deepEqual(results, calls, api.join())
    for (const [at, id] of calls.entries()) {
      assert.match(id, form, api.join())
      assert.equal(id === IDS[at], unchanged.includes(at), `${api.join()}: ${id}`)
    }
  }
})

test('Mistral receives a turn of the assistant between a result and what the user says', async () => {
  const messages: ChatMessage[] = [...MESSAGES, { role: 'user', content: 'And tomorrow?' }]
  const rolesFor = async (provider: 'mistral' | 'deepseek', sent: ChatMessage[]) => {
    const body = await trial.sent([provider, 'openai-chat'], { messages: sent })
    return (body.messages as ChatMessage[]).slice(-3).map(({ role }) => role)
  }
  assert.deepEqual(await rolesFor('mistral', messages), ['tool', 'assistant', 'user'])
  assert.deepEqual(await rolesFor('mistral', MESSAGES), ['tool', 'tool', 'tool'])
  assert.deepEqual(await rolesFor('deepseek', messages), ['tool', 'tool', 'user'])
})

test('Moonshot receives no empty text of the assistant', async () => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'get_weather', arguments: '{}' } }
  const messages: ChatMessage[] = [
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'assistant', content: [], tool_calls: [call] },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: null, reasoning_content: 'Hm' },
    { role: 'assistant', content: 'Yes' },
    { role: 'user', content: '' },
  ]
  const body = await trial.sent(['moonshot', 'openai-chat'], { messages })
  assert.deepEqual(
    (body.messages as ChatMessage[]).map(({ content }) => content),
    [null, null, ' ', ' ', 'Yes', ''],
  )
})
