import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../../test/support/gateway/gateway-trial.ts'
import { anthropicOf, endUsersOf, postTo } from '../../../../../test/support/gateway/surface-clients.ts'

const QUESTION = {
  model: 'auto',
  max_tokens: 200,
  messages: [{ role: 'user' as const, content: 'Hello there' }],
}
const TOOL: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const textOf = ({ content }: Anthropic.Message): string =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('')

suite("POST /v1/messages with Anthropic's client", () => {
  let service: TestService
  let trial: GatewayTrial
  before(async () => {
    service = await sharedService()
    trial = await GatewayTrial.open(service)
  })
  after(() => service.close())

  test('answers with a message, its usage and its cost', async () => {
    const own = await GatewayTrial.open(service)
    const { data, response } = await anthropicOf(own)
      .messages.create({ ...QUESTION, system: 'Be brief', metadata: { user_id: 'reader-1' } })
      .withResponse()
    assert.equal(response.status, 200)
    assert.match(textOf(data), /Hello there/)
    assert.equal(data.stop_reason, 'end_turn')
    assert.ok(data.usage.input_tokens > 0 && data.usage.output_tokens > 0)
    assert.equal(data.model, response.headers.get('x-svc-model'))
    assert.equal(response.headers.get('request-id'), response.headers.get('x-request-id'))
    const [row] = await own.usage(1)
    assert.deepEqual(await endUsersOf(own), ['reader-1'])
    assert.ok(row && row.cost > 0n)
    assert.deepEqual([row.id, row.surface, row.outcome], [data.id, 'messages', 'completed'])
    assert.deepEqual([row.inputTokens, row.outputTokens], [data.usage.input_tokens, data.usage.output_tokens])
  })

  test('charges a request whose end user is cut within a character', async () => {
    const own = await GatewayTrial.open(service)
    // 256 characters, of which the 500th unit of UTF-16 is half of one.
    const user = `a${'😀'.repeat(255)}`
    await anthropicOf(own).messages.create({ ...QUESTION, metadata: { user_id: user } })
    await postTo(own, '/v1/responses', { model: 'auto', input: 'Hello', safety_identifier: user })
    await postTo(own, '/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello', user })
    for (const { cost } of await own.usage(3)) assert.ok(cost > 0n)
    const stored = user.slice(0, 499) + '\u{fffd}'
    assert.deepEqual(await endUsersOf(own), [stored, stored, stored])
  })

  test('streams the same text that it answers at once, with the totals at its end', async () => {
    const request = { ...QUESTION, model: 'claude-haiku-5-5' }
    const whole = await anthropicOf(trial).messages.create(request)
    const deltas: string[] = []
    const stream = anthropicOf(trial)
      .messages.stream(request)
      .on('text', text => deltas.push(text))
    const message = await stream.finalMessage()
    assert.ok(deltas.length > 1)
    assert.equal(deltas.join(''), textOf(whole))
    assert.equal(textOf(message), textOf(whole))
    assert.equal(message.usage.output_tokens, whole.usage.output_tokens)
    assert.equal(message.usage.input_tokens, whole.usage.input_tokens)
    assert.equal(message.stop_reason, 'end_turn')
  })

  test('calls a tool, at once and in a stream, and takes its result', async () => {
    const request = { ...QUESTION, tools: [TOOL], tool_choice: { type: 'any' as const } }
    const whole = await anthropicOf(trial).messages.create(request)
    const streamed = await anthropicOf(trial).messages.stream(request).finalMessage()
    for (const message of [whole, streamed]) {
      assert.equal(message.stop_reason, 'tool_use')
      const [call] = message.content
      assert.ok(call?.type === 'tool_use')
      assert.equal(call.name, 'get_weather')
      assert.equal(typeof (call.input as { city: unknown }).city, 'string')
    }
    const [call] = whole.content
    assert.ok(call?.type === 'tool_use')
    const next = await anthropicOf(trial).messages.create({
      ...QUESTION,
      tools: [TOOL],
      messages: [
        ...QUESTION.messages,
        { role: 'assistant', content: whole.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: 'rain' }] }],
        },
      ],
    })
    assert.match(textOf(next), /tool returned: rain/)
  })

  test('takes images, as base64 and by address', async () => {
    const { content } = await anthropicOf(trial).messages.create({
      ...QUESTION,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            { type: 'text', text: 'Compare' },
          ],
        },
      ],
    })
    assert.match(JSON.stringify(content), /with 2 images/)
  })

  test('counts tokens for nothing', async () => {
    const own = await GatewayTrial.open(service)
    await own.empty()
    const { input_tokens: few } = await anthropicOf(own).messages.countTokens({
      model: 'auto',
      messages: QUESTION.messages,
    })
    const { input_tokens: more } = await anthropicOf(own).messages.countTokens({
      model: 'auto',
      system: 'Answer in the language of the question',
      messages: QUESTION.messages,
      tools: [TOOL],
    })
    assert.ok(few > 0 && more > few)
    assert.equal((await postTo(trial, '/v1/messages/count_tokens', {})).status, 400)
    const foreign = { service, key: `rk_${'0'.repeat(36)}` }
    assert.equal((await postTo(foreign, '/v1/messages/count_tokens', {})).status, 401)
  })

  test("answers errors in the classes of Anthropic's client with our text", async () => {
    const anthropic = anthropicOf(trial)
    const rejected = async (
      run: Promise<unknown>,
      kind: abstract new (...args: never[]) => Error,
      text: RegExp,
    ) => {
      await assert.rejects(run, (error: unknown) => {
        assert.ok(error instanceof kind && error instanceof Anthropic.APIError, String(error))
        assert.match(error.message, text)
        assert.equal((error.error as { type: string }).type, 'error')
        assert.ok(error.requestID)
        return true
      })
    }
    const unknown = anthropic.messages.create({ ...QUESTION, model: 'claude-nonsense' })
    await rejected(unknown, Anthropic.NotFoundError, /Model not found/)
    const unoffered = anthropic.messages.create({
      ...QUESTION,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    })
    await rejected(unoffered, Anthropic.BadRequestError, /Unsupported parameter: .*web_search/)
    const foreign = new Anthropic({ baseURL: service.baseUrl, apiKey: `rk_${'0'.repeat(36)}`, maxRetries: 0 })
    await rejected(foreign.messages.create(QUESTION), Anthropic.AuthenticationError, /Invalid API key/)
    const poor = await GatewayTrial.open(service)
    await poor.empty()
    await rejected(anthropicOf(poor).messages.create(QUESTION), Anthropic.PaymentRequiredError, /balance/i)
    const slow = await GatewayTrial.open(service, { limits: { rpm: 1 } })
    await anthropicOf(slow).messages.create(QUESTION)
    await rejected(
      anthropicOf(slow).messages.create(QUESTION),
      Anthropic.RateLimitError,
      /Rate limit exceeded/,
    )
    const narrow = await GatewayTrial.open(service, { allowedModels: ['gpt-6-luna'] })
    const refused = anthropicOf(narrow).messages.create({ ...QUESTION, model: 'claude-opus-5' })
    await rejected(refused, Anthropic.PermissionDeniedError, /Model not allowed/)
  })

  test('refuses a region and a speed that have prices of their own', async () => {
    const { status } = await postTo(trial, '/v1/messages', {
      ...QUESTION,
      speed: 'standard',
      inference_geo: null,
    })
    assert.equal(status, 200)
    for (const [param, value] of [
      ['inference_geo', 'us'],
      ['speed', 'fast'],
    ] as const) {
      const response = await postTo(trial, '/v1/messages', { ...QUESTION, [param]: value })
      const body = (await response.json()) as { error: { type: string; details: unknown } }
      assert.deepEqual(
        [response.status, body.error.type, body.error.details],
        [400, 'invalid_request_error', { param }],
      )
    }
  })

  test('lists what is wrong with a body', async () => {
    const response = await postTo(trial, '/v1/messages', { model: 'auto', messages: [] })
    const body = (await response.json()) as { statusCode: number; error: { type: string; message: string } }
    assert.equal(response.status, 400)
    assert.equal(body.statusCode, 400)
    assert.equal(body.error.type, 'invalid_request_error')
    assert.match(body.error.message, /max_tokens/)
  })

  test('bills what a caller received who leaves in the middle', async () => {
    const own = await GatewayTrial.open(service)
    const stream = anthropicOf(own).messages.stream({
      ...QUESTION,
      model: 'claude-haiku-5-5',
      max_tokens: 8000,
      messages: [{ role: 'user', content: 'Write an essay in 7000 words' }],
    })
    await assert.rejects(async () => {
      for await (const event of stream) if (event.type === 'content_block_delta') stream.abort()
      await stream.done()
    })
    const [row] = await own.usage(1)
    assert.equal(row?.outcome, 'cancelled')
    assert.ok(row.outputTokens < 7000, `${row.outputTokens} tokens were billed`)
  })
})
