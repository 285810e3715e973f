import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import OpenAI from 'openai'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../../test/support/gateway/gateway-trial.ts'
import { endUsersOf, postTo } from '../../../../../test/support/gateway/surface-clients.ts'

const MODEL = 'text-embedding-3-small'

suite("POST /v1/embeddings with OpenAI's client", () => {
  let service: TestService
  let trial: GatewayTrial
  before(async () => {
    service = await sharedService()
    trial = await GatewayTrial.open(service)
  })
  after(() => service.close())

  test('answers a vector for each input and bills its tokens', async () => {
    const own = await GatewayTrial.open(service)
    const { data: list, response } = await own
      .openai()
      .embeddings.create({
        model: MODEL,
        input: ['a first text', 'another one'],
        dimensions: 256,
        user: 'reader-1',
      })
      .withResponse()
    assert.equal(response.status, 200)
    assert.deepEqual(
      list.data.map(({ index, embedding }) => [index, embedding.length]),
      [
        [0, 256],
        [1, 256],
      ],
    )
    assert.ok(list.usage.prompt_tokens > 0)
    const [row] = await own.usage(1)
    assert.ok(row && row.cost > 0n)
    assert.deepEqual(
      [row.surface, row.model, row.outcome, row.outputTokens],
      ['embeddings', MODEL, 'completed', 0],
    )
    assert.deepEqual(await endUsersOf(own), ['reader-1'])
    assert.equal(row.inputTokens, list.usage.prompt_tokens)
    assert.equal((list.usage as { cost?: number }).cost, Number(row.cost + row.fee) / 1e6)
  })

  test('counts many inputs together, so that other requests do not wait for it', async () => {
    // A tokenizer takes these characters for one word.
    const input = Array.from({ length: 256 }, () => '/\n'.repeat(2000))
    const body = { model: MODEL, input, dimensions: 1, encoding_format: 'base64' }
    const answer = await postTo(trial, '/v1/embeddings', body)
    assert.equal(answer.status, 200, await answer.text())
    assert.ok(Number(answer.headers.get('x-svc-overhead-ms')) < 500)
  })

  test('answers the same vector as floats and as base64', async () => {
    const request = { model: MODEL, input: 'a text' }
    const floats = await trial.openai().embeddings.create({ ...request, encoding_format: 'float' })
    const byDefault = await trial.openai().embeddings.create(request)
    assert.equal(floats.data[0]?.embedding.length, 1536)
    assert.deepEqual(
      byDefault.data[0]?.embedding,
      floats.data[0].embedding.map(value => Math.fround(value)),
    )
    const answer = await postTo(trial, '/v1/embeddings', { ...request, encoding_format: 'base64' })
    const { data } = (await answer.json()) as { data: { embedding: string }[] }
    assert.equal(Buffer.from(data[0]?.embedding ?? '', 'base64').length, 1536 * 4)
  })

  test('takes tokens in place of texts', async () => {
    const one = await trial.openai().embeddings.create({ model: MODEL, input: [1, 2, 3] })
    const two = await trial.openai().embeddings.create({ model: MODEL, input: [[1, 2, 3], [4]] })
    assert.deepEqual([one.data.length, two.data.length], [1, 2])
    assert.equal(one.usage.prompt_tokens, 3)
  })

  test('takes many long texts, beyond the context of one input', async () => {
    const input = Array.from({ length: 20 }, () => 'word '.repeat(1500))
    const { data, usage } = await trial.openai().embeddings.create({ model: MODEL, input })
    assert.equal(data.length, 20)
    assert.ok(usage.prompt_tokens > 8191)
  })

  test('refuses other models, other keys and an empty balance', async () => {
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
    const input = 'a text'
    const unknown = trial.openai().embeddings.create({ model: 'auto', input })
    await rejected(unknown, OpenAI.NotFoundError, /Model not found: .*text-embedding-3-small/)
    const narrow = await GatewayTrial.open(service, { allowedModels: ['gpt-6-luna'] })
    const refused = narrow.openai().embeddings.create({ model: MODEL, input })
    await rejected(refused, OpenAI.PermissionDeniedError, /Model not allowed/)
    const routed = await GatewayTrial.open(service, { allowedModels: ['auto'] })
    const unselected = routed.openai().embeddings.create({ model: MODEL, input })
    await rejected(unselected, OpenAI.PermissionDeniedError, /Model not allowed/)
    const cheap = await GatewayTrial.open(service, { maxPriceUsd: '0.000001' })
    const dear = cheap.openai().embeddings.create({ model: MODEL, input: 'word '.repeat(9000) })
    await rejected(dear, OpenAI.PermissionDeniedError, /Maximum price exceeded/)
    const poor = await GatewayTrial.open(service)
    await poor.empty()
    await rejected(
      poor.openai().embeddings.create({ model: MODEL, input }),
      OpenAI.APIError,
      /402 .*balance/i,
    )
    await rejected(
      trial.openai().embeddings.create({ model: MODEL, input: [] }),
      OpenAI.BadRequestError,
      /input/,
    )
  })

  test('replaces personal data where the key asks for it', async () => {
    const careful = await GatewayTrial.open(service, { redactPii: true })
    const redacted = await careful.openai().embeddings.create({
      model: MODEL,
      input: 'Write to ada@example.com',
    })
    const same = await trial.openai().embeddings.create({ model: MODEL, input: 'Write to [EMAIL]' })
    assert.deepEqual(redacted.data, same.data)
    const tokens = careful.openai().embeddings.create({ model: MODEL, input: [1, 2] })
    await assert.rejects(tokens, /texts, not tokens/)
  })
})
