import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { makeParseableTextFormat } from 'openai/lib/parser'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../../test/support/gateway/gateway-trial.ts'
import { endUsersOf } from '../../../../../test/support/gateway/surface-clients.ts'

const TOOL: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
}

suite("POST /v1/responses with OpenAI's client", () => {
  let service: TestService
  let trial: GatewayTrial
  before(async () => {
    service = await sharedService()
    trial = await GatewayTrial.open(service)
  })
  after(() => service.close())

  test('answers with a response, its usage and its cost', async () => {
    const own = await GatewayTrial.open(service)
    const { data, response } = await own
      .openai()
      .responses.create({ model: 'auto', instructions: 'Be brief', input: 'Hello there', user: 'reader-1' })
      .withResponse()
    assert.equal(response.status, 200)
    assert.match(data.output_text, /Hello there/)
    assert.equal(data.status, 'completed')
    assert.equal((data as { store?: boolean }).store, false)
    assert.equal(data.model, response.headers.get('x-svc-model'))
    const [row] = await own.usage(1)
    assert.deepEqual(await endUsersOf(own), ['reader-1'])
    assert.ok(row && row.cost > 0n)
    assert.deepEqual([row.id, row.surface], [data.id, 'responses'])
    assert.deepEqual(
      [row.inputTokens, row.outputTokens],
      [data.usage?.input_tokens, data.usage?.output_tokens],
    )
  })

  test('takes the default model of the account where none is named', async () => {
    const response = await trial.openai().responses.create({ input: 'Hello there' })
    assert.match(response.output_text, /Hello there/)
  })

  test('streams numbered events that the client puts together', async () => {
    const request = { model: 'gpt-6-luna', input: 'Hello there' }
    const whole = await trial.openai().responses.create(request)
    const stream = trial.openai().responses.stream(request)
    const types: string[] = []
    const numbers: number[] = []
    for await (const event of stream) {
      types.push(event.type)
      numbers.push(event.sequence_number)
    }
    const response = await stream.finalResponse()
    assert.equal(response.output_text, whole.output_text)
    assert.deepEqual(response.usage, whole.usage)
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => at),
    )
    assert.deepEqual(types.slice(0, 2), ['response.created', 'response.in_progress'])
    assert.equal(types.at(-1), 'response.completed')
  })

  test('calls a function, at once and in a stream, and takes its output', async () => {
    const request = {
      model: 'auto',
      input: 'Hello there',
      tools: [TOOL],
      tool_choice: { type: 'function' as const, name: 'get_weather' },
    }
    const whole = await trial.openai().responses.create(request)
    const streamed = await trial.openai().responses.stream(request).finalResponse()
    const [call] = whole.output
    const [sameCall] = streamed.output
    assert.ok(call?.type === 'function_call' && sameCall?.type === 'function_call')
    assert.equal(typeof (JSON.parse(call.arguments) as { city: unknown }).city, 'string')
    assert.deepEqual([sameCall.name, sameCall.arguments], [call.name, call.arguments])
    const next = await trial.openai().responses.create({
      model: 'auto',
      tools: [TOOL],
      input: [
        { role: 'user', content: 'Hello there' },
        call,
        { type: 'function_call_output', call_id: call.call_id, output: 'rain' },
      ],
    })
    assert.match(next.output_text, /tool returned: rain/)
  })

  test('parses an answer by its schema', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
      additionalProperties: false,
    }
    const format = makeParseableTextFormat<{ city: string; days: number }>(
      { type: 'json_schema', name: 'trip', schema, strict: true },
      text => JSON.parse(text) as { city: string; days: number },
    )
    const { output_parsed: trip } = await trial.openai().responses.parse({
      model: 'auto',
      input: 'Plan a trip',
      text: { format },
    })
    assert.equal(typeof trip?.city, 'string')
    assert.ok(Number.isInteger(trip?.days))
  })

  test('takes images', async () => {
    const { output_text: text } = await trial.openai().responses.create({
      model: 'auto',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Describe' },
            { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
          ],
        },
      ],
    })
    assert.match(text, /with 1 image/)
  })

  test('an answer that reaches its limit is incomplete', async () => {
    const request = { model: 'gpt-6-luna', input: 'Write an essay in 500 words', max_output_tokens: 20 }
    const whole = await trial.openai().responses.create(request)
    const streamed = await trial.openai().responses.stream(request).finalResponse()
    for (const response of [whole, streamed]) {
      assert.equal(response.status, 'incomplete')
      assert.equal(response.incomplete_details?.reason, 'max_output_tokens')
    }
  })

  test("answers errors in the classes of OpenAI's client with our text", async () => {
    const rejected = async (
      run: Promise<unknown>,
      kind: abstract new (...args: never[]) => Error,
      text: RegExp,
    ) => {
      await assert.rejects(run, (error: unknown) => {
        assert.ok(error instanceof kind, String(error))
        assert.match(error.message, text)
        return true
      })
    }
    const { responses } = trial.openai()
    const input = 'Hello there'
    await rejected(
      responses.create({ model: 'auto', input, previous_response_id: 'resp_1' }),
      OpenAI.BadRequestError,
      /Unsupported parameter: .*whole conversation/,
    )
    await rejected(
      responses.create({ model: 'gpt-nonsense', input }),
      OpenAI.NotFoundError,
      /Model not found/,
    )
    const poor = await GatewayTrial.open(service)
    await poor.empty()
    await rejected(
      poor.openai().responses.create({ model: 'auto', input }),
      OpenAI.APIError,
      /402 .*balance/i,
    )
    const slow = await GatewayTrial.open(service, { limits: { rpm: 1 } })
    await slow.openai().responses.create({ model: 'auto', input })
    await rejected(
      slow.openai().responses.create({ model: 'auto', input }),
      OpenAI.RateLimitError,
      /Rate limit exceeded/,
    )
  })
})
