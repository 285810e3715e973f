import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { joinChunks, PROVIDER_APIS, ProviderTrial, readStream, upstreamCall } from '#test'
import type { ProviderId } from '../core/model.ts'

const USAGE = { input: 100, output: 20, cacheRead: 60, cacheWrite: 10, reasoning: 5 }

let trial: ProviderTrial

before(async () => {
  trial = await ProviderTrial.open(
    'openai',
    'anthropic',
    'google',
    'mistral',
    'deepseek',
    'xai',
    'zai',
    'moonshot',
  )
})
after(() => trial.close())

for (const api of PROVIDER_APIS) {
  test(`${api[1]}: reads a text with cached and reasoning tokens`, async () => {
    const { choice, usage, joined, completion } = await trial.bothForms(api, {
      text: 'Grüße, 世界 😀!',
      reasoning: 'Hmm, a greeting',
      usage: USAGE,
    })
    assert.equal(choice?.message.content, 'Grüße, 世界 😀!')
    assert.equal(choice.message.reasoning_content, 'Hmm, a greeting')
    assert.equal(choice.finish_reason, 'stop')
    assert.equal(completion.model, `model-of-${api[0]}`)
    assert.deepEqual(usage, USAGE)
    assert.deepEqual(completion.usage, {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 5 },
    })
    assert.deepEqual(joined, {
      content: 'Grüße, 世界 😀!',
      refusal: '',
      reasoning: 'Hmm, a greeting',
      tools: [],
      finish: 'stop',
    })
  })

  test(`${api[1]}: reads several tool calls, one without arguments`, async () => {
    const tools = [
      { name: 'get_weather', arguments: '{"city":"Köln","days":3}' },
      { name: 'list_all', arguments: '{}' },
    ]
    const { choice, joined } = await trial.bothForms(api, { tools })
    assert.equal(choice?.finish_reason, 'tool_calls')
    assert.equal(choice.message.content, null)
    assert.deepEqual(
      choice.message.tool_calls?.map(call => call.function),
      tools,
    )
    assert.equal(joined.finish, 'tool_calls')
    assert.deepEqual(
      joined.tools,
      choice.message.tool_calls?.map(({ id, function: called }) => ({ id, ...called })),
    )
  })

  test(`${api[1]}: reads a refusal and an answer that reached its limit`, async () => {
    const refused = await trial.bothForms(api, { refusal: 'I cannot help with that' })
    assert.equal(refused.choice?.message.refusal, 'I cannot help with that')
    assert.equal(refused.joined.refusal, 'I cannot help with that')
    const cut = await trial.bothForms(api, { text: 'one two', finish: 'length' })
    assert.equal(cut.choice?.finish_reason, 'length')
    assert.equal(cut.joined.finish, 'length')
  })
}

test('openai-chat: counts cached and reasoning tokens as each provider reports them', async () => {
  const cases: [ProviderId, object, object][] = [
    [
      'deepseek',
      { prompt_tokens: 100, completion_tokens: 9, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input: 100, output: 9, cacheRead: 64, cacheWrite: 0, reasoning: 0 },
    ],
    [
      'moonshot',
      { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109, cached_tokens: 50 },
      { input: 100, output: 9, cacheRead: 50, cacheWrite: 0, reasoning: 0 },
    ],
    [
      'xai',
      {
        prompt_tokens: 100,
        completion_tokens: 9,
        total_tokens: 149,
        completion_tokens_details: { reasoning_tokens: 40 },
      },
      { input: 100, output: 49, cacheRead: 0, cacheWrite: 0, reasoning: 40 },
    ],
    [
      'google',
      { prompt_tokens: 100, completion_tokens: 9, total_tokens: 149 },
      { input: 100, output: 49, cacheRead: 0, cacheWrite: 0, reasoning: 40 },
    ],
    [
      'openai',
      { prompt_tokens: 10, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 99 } },
      { input: 10, output: 9, cacheRead: 10, cacheWrite: 0, reasoning: 0 },
    ],
  ]
  for (const [provider, usage, expected] of cases) {
    const choices = [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
    trial.server.next({ status: 200, body: { choices, usage } })
    assert.deepEqual((await trial.upstream.complete(upstreamCall([provider, 'openai-chat']))).usage, expected)
  }
})

test('openai-chat: repairs roles, numbers of tool calls, parts and finish reasons', async () => {
  const event = (delta: object, finish: string | null = null, more: object = {}) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish, ...more }] })}\n\n`
  const call = (id: string, name: string) => ({ index: 0, id, function: { name, arguments: '{}' } })
  const body = [
    event({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
    event({ content: [{ type: 'text', text: 'Hello' }] }),
    event({ tool_calls: [call('a', 'one'), call('b', 'two')] }),
    event({}, 'stop', { usage: { prompt_tokens: 3, completion_tokens: 4 } }),
    'data: [DONE]\n\n',
  ].join('')
  trial.server.next({ status: 200, body, headers: { 'content-type': 'text/event-stream' } })
  const { chunks, usage } = await readStream(trial.upstream, upstreamCall(['moonshot', 'openai-chat']))
  assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant')
  assert.deepEqual(joinChunks(chunks), {
    content: 'Hello',
    refusal: '',
    reasoning: 'Hm',
    tools: [
      { id: 'a', name: 'one', arguments: '{}' },
      { id: 'b', name: 'two', arguments: '{}' },
    ],
    finish: 'tool_calls',
  })
  assert.deepEqual(usage, { input: 3, output: 4, cacheRead: 0, cacheWrite: 0, reasoning: 0 })
})

test('openai-chat: streams several choices', async () => {
  const { chunks } = await readStream(trial.upstream, upstreamCall(['openai', 'openai-chat'], { n: 2 }))
  const finished = chunks.flatMap(({ choices }) => choices).filter(choice => choice.finish_reason)
  assert.deepEqual(
    finished.map(({ index }) => index),
    [0, 1],
  )
  assert.equal(trial.lastBody.n, 2)
})
