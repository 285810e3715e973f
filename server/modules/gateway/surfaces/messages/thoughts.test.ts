import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../../test/support/gateway/gateway-trial.ts'
import { anthropicOf, postTo } from '../../../../../test/support/gateway/surface-clients.ts'
import { ProgrammableUpstream } from '../../../../../test/support/gateway/upstream.ts'

const CLAUDE = 'claude-haiku-5-5'
const QUESTION = { role: 'user' as const, content: 'Hello there' }
const SIGNED = { type: 'thinking' as const, thinking: 'Hm', signature: 'signed' }
const SEALED = { type: 'redacted_thinking' as const, data: 'sealed' }

/** A stream of Anthropic with thoughts one after another: one is redacted, the last is not shown. */
function thoughtfulStream(end: object = { stop_reason: 'end_turn' }): string {
  const start = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  })
  const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
  const stop = (index: number) => ({ type: 'content_block_stop', index })
  const thought = (index: number, texts: string[], signature: string) => [
    start(index, { type: 'thinking', thinking: '', signature: '' }),
    ...texts.map(thinking => delta(index, { type: 'thinking_delta', thinking })),
    delta(index, { type: 'signature_delta', signature }),
    stop(index),
  ]
  const usage = { input_tokens: 10, output_tokens: 9 }
  return [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', usage } },
    ...thought(0, ['First', ' thought'], 'signature-1'),
    ...thought(1, ['Second'], 'signature-2'),
    start(2, SEALED),
    stop(2),
    ...thought(3, [], 'signature-3'),
    start(4, { type: 'text', text: '' }),
    delta(4, { type: 'text_delta', text: 'Yes' }),
    stop(4),
    { type: 'message_delta', delta: end, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
    .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

const THOUGHTFUL = [
  { type: 'thinking', thinking: 'First thought', signature: 'signature-1' },
  { type: 'thinking', thinking: 'Second', signature: 'signature-2' },
  SEALED,
  { type: 'thinking', thinking: '', signature: 'signature-3' },
  { type: 'text', text: 'Yes', citations: null },
]

suite('thoughts in conversations', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  let trial: GatewayTrial
  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService(upstream.settings('anthropic', 'deepseek', 'openai'))
    trial = await GatewayTrial.open(service, { cacheSeconds: 600 })
    await creditRouting(service.services.db, trial.owner.id, 50_000_000n, false)
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })
  const sentTurns = () => upstream.requests.at(-1)?.body.messages as { content: unknown }[]
  const sse = (body: string) => ({ status: 200, body, headers: { 'content-type': 'text/event-stream' } })

  test('the tool runner of the client sends the whole conversation', async () => {
    const tool = { name: 'look', arguments: '{"at":"Bonn"}' }
    upstream.next({ tools: [tool] }, { text: 'Sunny' })
    const client = anthropicOf(trial)
    const message = await client.beta.messages.toolRunner({
      model: CLAUDE,
      max_tokens: 100,
      messages: [{ ...QUESTION, content: 'Look at Bonn' }],
      tools: [
        {
          type: 'custom',
          name: 'look',
          input_schema: { type: 'object' },
          parse: content => content,
          run: () => 'Sun',
        },
      ],
    })
    assert.equal(message.content[0]?.type === 'text' && message.content[0].text, 'Sunny')
    assert.equal(sentTurns().length, 3)
    assert.deepEqual(upstream.requests.at(-1)?.body.tools, [
      { name: 'look', input_schema: { type: 'object' } },
    ])
    // Without such a helper it is a refusal that says what to do.
    const send = client.beta.messages.thread({ model: CLAUDE, max_tokens: 100 }).send(QUESTION)
    await assert.rejects(send, /Conversations are not stored/)
  })

  test('disabled thinking reaches every provider in its own form', async () => {
    const disabled = { type: 'disabled' as const }
    for (const [model, output_config, expected] of [
      ['claude-opus-5', undefined, { thinking: disabled, reasoning_effort: undefined }],
      ['deepseek-flash', undefined, { thinking: disabled, reasoning_effort: undefined }],
      ['gpt-6-luna', { effort: 'high' as const }, { thinking: undefined, reasoning_effort: 'none' }],
    ] as const) {
      const request = { model, max_tokens: 100, messages: [QUESTION], thinking: disabled }
      await anthropicOf(trial).messages.create({ ...request, ...(output_config ? { output_config } : {}) })
      const { thinking, reasoning_effort } = upstream.requests.at(-1)?.body ?? {}
      assert.deepEqual({ thinking, reasoning_effort }, expected, model)
    }
  })

  test('what another provider thought does not reach Claude', async () => {
    upstream.next({ reasoning: 'Hm', text: 'Yes' })
    const anthropic = anthropicOf(trial)
    const ask = { max_tokens: 100, messages: [QUESTION] }
    const { content } = await anthropic.messages.create({ ...ask, model: 'deepseek-flash' })
    assert.deepEqual(content[0], { type: 'thinking', thinking: 'Hm', signature: '' })
    const messages = [QUESTION, { role: 'assistant' as const, content }, QUESTION]
    await anthropic.messages.create({ ...ask, model: CLAUDE, messages })
    assert.deepEqual(sentTurns()[1]?.content, [{ type: 'text', text: 'Yes' }])
  })

  test('only thoughts that Claude signed or sealed are sent back to it', async () => {
    const thoughts = [
      { ...SIGNED, signature: '' },
      { type: 'thinking', thinking: 'Hm' },
      SIGNED,
      { type: 'redacted_thinking' },
      { type: 'redacted_thinking', data: '' },
      SEALED,
    ]
    const other = { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }
    for (const message of [
      { content: 'Yes', thinking_blocks: [other, ...thoughts] },
      { content: [...thoughts, { type: 'text', text: 'Yes' }] },
    ]) {
      const messages = [QUESTION, { role: 'assistant', ...message }, QUESTION]
      assert.equal((await trial.chat({ model: CLAUDE, messages })).status, 201)
      assert.deepEqual(sentTurns()[1]?.content, [SIGNED, SEALED, { type: 'text', text: 'Yes' }])
    }
  })

  test('replays and cached answers have the thoughts of the original stream', async () => {
    upstream.next(sse(thoughtfulStream()))
    const request = { model: CLAUDE, max_tokens: 100, messages: [{ ...QUESTION, content: 'Think' }] }
    const headers = { 'idempotency-key': newId() }
    const streamed = async (options: object) =>
      (await anthropicOf(trial).messages.stream(request, options).finalMessage()).content
    const before = upstream.requests.length
    assert.deepEqual(await streamed({ headers }), THOUGHTFUL)
    assert.deepEqual(await streamed({ headers }), THOUGHTFUL)
    assert.deepEqual(await streamed({}), THOUGHTFUL)
    const cached = (await (await postTo(trial, '/v1/messages', request)).json()) as { content: unknown }
    assert.deepEqual(cached.content, THOUGHTFUL)
    assert.equal(upstream.requests.length, before + 1)
  })

  test('a stream, its replay and cached answers name the sequence that ended the answer', async () => {
    const end = { stop_reason: 'stop_sequence', stop_sequence: 'END' }
    upstream.next(sse(thoughtfulStream(end)))
    const messages = [{ ...QUESTION, content: 'Stop' }]
    const request = { model: CLAUDE, max_tokens: 100, messages, stop_sequences: ['END'] }
    const headers = { 'idempotency-key': newId() }
    const streamed = async (options: object) => {
      const message = await anthropicOf(trial).messages.stream(request, options).finalMessage()
      return { stop_reason: message.stop_reason, stop_sequence: message.stop_sequence }
    }
    for (const options of [{ headers }, { headers }, {}]) assert.deepEqual(await streamed(options), end)
    const { stop_reason, stop_sequence } = await anthropicOf(trial).messages.create(request)
    assert.deepEqual({ stop_reason, stop_sequence }, end)
  })

  test('a replay of a stream has the log probabilities of all its chunks', async () => {
    const chunk = (content: string, finish: string | null) => ({
      id: 'x',
      created: 1,
      choices: [
        {
          index: 0,
          delta: { content },
          finish_reason: finish,
          logprobs: { content: [{ token: content, logprob: -1 }], refusal: null },
        },
      ],
    })
    const body = [chunk('one', null), chunk(' two', null), chunk(' three', 'stop')]
      .map(each => `data: ${JSON.stringify(each)}\n\n`)
      .join('')
    upstream.next(sse(`${body}data: [DONE]\n\n`))
    const ask = async () => {
      const stream = await trial.openai().chat.completions.create(
        {
          model: 'gpt-6-luna',
          messages: [{ ...QUESTION, content: 'Count' }],
          logprobs: true,
          reasoning_effort: 'none',
          stream: true,
        },
        { headers: { 'idempotency-key': key } },
      )
      const chunks = await Array.fromAsync(stream)
      return chunks.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? []).map(({ token }) => token)
    }
    const key = newId()
    assert.deepEqual(await ask(), ['one', ' two', ' three'])
    assert.deepEqual(await ask(), ['one', ' two', ' three'])
  })
})
