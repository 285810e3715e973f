import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI, { APIError } from 'openai'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'

const messages = [{ role: 'user' as const, content: 'Say hello' }]
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

suite('the client of OpenAI', () => {
  let service: TestService
  let trial: GatewayTrial
  let client: OpenAI
  before(async () => {
    service = await sharedService()
    trial = await GatewayTrial.open(service)
    client = trial.openai()
  })
  after(() => service.close())

  test('creates a completion that says what it cost and that it is simulated', async () => {
    const { data, response } = await client.chat.completions
      .create({ model: 'auto', messages })
      .withResponse()
    assert.equal(response.status, 201)
    assert.match(data.id, /^gen-/)
    assert.ok(data.choices[0]?.message.content)
    const header = (name: string) => response.headers.get(name)
    assert.equal(header('x-svc-model'), data.model)
    assert.equal(Reflect.get(data, '_request_id'), header('x-request-id'))
    const { usage } = data as unknown as { usage: { cost: number } }
    assert.ok(usage.cost > 0)
    assert.equal(
      Math.round(usage.cost * 1e6),
      Math.round((Number(header('x-svc-cost-usd')) + Number(header('x-svc-fee-usd'))) * 1e6),
    )
    for (const name of ['provider', 'tier', 'complexity', 'attempts', 'overhead-ms'])
      assert.ok(header(`x-svc-${name}`), name)
    assert.equal(header('x-should-retry'), 'false')
    assert.deepEqual(Reflect.get(data, 'svc_meta'), { simulated: true })
  })

  test('streams chunks of one id, with usage only when it is asked for', async () => {
    for (const include_usage of [true, false]) {
      const stream = await client.chat.completions.create({
        model: 'svc/budget',
        messages,
        stream: true,
        stream_options: { include_usage },
      })
      const chunks = await Array.fromAsync(stream)
      assert.equal(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size, 1)
      assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant')
      const [last] = chunks.slice(-1)
      assert.equal(last?.choices.length, include_usage ? 0 : 1)
      assert.equal((Reflect.get(last?.usage ?? {}, 'cost') ?? 0) > 0, include_usage)
    }
  })

  test('puts a stream together by its helper', async () => {
    const stream = client.chat.completions.stream({ model: 'auto', messages })
    let text = ''
    stream.on('content', delta => {
      text += delta
    })
    const completion = await stream.finalChatCompletion()
    assert.equal(completion.choices[0]?.message.content, text)
    assert.ok(text)
  })

  test('gets calls of its tools, whole and as a stream', async () => {
    const body = { model: 'auto', messages, tools: [weather], tool_choice: 'required' } as const
    const whole = await client.chat.completions.create({ ...body, tools: [weather] })
    const streamed = await client.chat.completions.stream({ ...body, tools: [weather] }).finalChatCompletion()
    for (const { choices } of [whole, streamed]) {
      assert.equal(choices[0]?.finish_reason, 'tool_calls')
      const [call] = choices[0].message.tool_calls ?? []
      assert.ok(call?.type === 'function' && call.id)
      assert.equal(call.function.name, 'get_weather')
      assert.equal(typeof Reflect.get(JSON.parse(call.function.arguments) as object, 'city'), 'string')
    }
  })

  test('parses an answer by a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    }
    const completion = await client.chat.completions.parse({
      model: 'auto',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'trip', schema, strict: true } },
    })
    const parsed: { city?: unknown; days?: unknown } = completion.choices[0]?.message.parsed ?? {}
    assert.deepEqual([typeof parsed.city, typeof parsed.days], ['string', 'number'])
  })

  test('shows our text of an empty balance, and does not retry', async () => {
    const poor = await GatewayTrial.open(service)
    await poor.empty()
    const error = await failureOf(
      poor.openai({ maxRetries: 2 }).chat.completions.create({ model: 'auto', messages }),
    )
    assert.equal(error.status, 402)
    assert.match(error.message, /^402 Insufficient balance: /)
    assert.deepEqual([error.code, error.type], ['routing_balance_insufficient', 'insufficient_quota'])
  })

  test('shows our text of a limit of the key, and retries by itself when asked to', async () => {
    const limited = await GatewayTrial.open(service, { limits: { rpm: 1 } })
    const ask = (options = {}) => limited.openai(options).chat.completions.create({ model: 'auto', messages })
    await ask()
    const error = await failureOf(ask())
    assert.equal(error.status, 429)
    assert.match(error.message, /^429 Rate limit exceeded: The key allows 1 requests in a minute/)
    assert.ok(Number(error.headers?.get('retry-after')) > 0)
  })

  test('names an unknown model and an unsupported parameter', async () => {
    const unknown = await failureOf(client.chat.completions.create({ model: 'gpt-0', messages }))
    assert.deepEqual([unknown.status, unknown.code], [404, 'model_not_found'])
    const priced = await failureOf(
      client.chat.completions.create({ model: 'auto', messages, web_search_options: {} }),
    )
    assert.deepEqual(
      [priced.status, priced.code, priced.param],
      [400, 'unsupported_parameter', 'web_search_options'],
    )
  })

  test('names an operation of OpenAI that the gateway does not have', async () => {
    await assert.rejects(client.files.list(), /^Error: 404 Not found: No operation GET \/v1\/files/)
    await assert.rejects(
      client.chat.completions.list(),
      /^Error: 405 Method not allowed: GET is not allowed on \/v1\/chat\/completions/,
    )
  })

  test('names the address that a client with another base URL meant', async () => {
    const { apiKey } = client
    const short = new OpenAI({ baseURL: service.baseUrl, apiKey, maxRetries: 0 })
    const error = await failureOf(short.chat.completions.create({ model: 'auto', messages }))
    assert.equal(error.status, 404)
    assert.match(error.message, /Did you mean \/v1\/chat\/completions\? Change the base URL of the client/)
    const { body } = await service.http<{ hint: string }>('POST', '/v1/v1/messages', { body: {} })
    assert.match(body.hint, /Did you mean \/v1\/messages\?/)
    // Nothing else is suggested where no such operation exists.
    assert.doesNotMatch((await service.http('POST', '/v1/completions', { body: {} })).text, /Did you mean/)
  })

  test('shows our text for a wrong key', async () => {
    const wrong = new OpenAI({ baseURL: `${service.baseUrl}/v1`, apiKey: 'rk_wrong', maxRetries: 0 })
    const error = await failureOf(wrong.chat.completions.create({ model: 'auto', messages }))
    assert.deepEqual([error.status, error.type], [401, 'authentication_error'])
  })
})

async function failureOf(run: Promise<unknown>): Promise<APIError> {
  const error: unknown = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof APIError, String(error))
  return error
}
