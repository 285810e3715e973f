import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { startTestService, type TestService } from '#test'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { anthropicOf, postTo } from '../../../../test/support/gateway/surface-clients.ts'
import { providerFaults, type FaultKind } from '../providers/index.ts'

const QUESTION = { max_tokens: 200, messages: [{ role: 'user' as const, content: 'Hello there' }] }

suite('failures of providers behind other APIs', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({
      GATEWAY_RETRIES: '0',
      GATEWAY_DEADLINES: 'kimi-k2.6=300/300,gemini-embedding-001=300/300',
    })
  })
  after(() => service.close())

  const fail = (provider: 'anthropic' | 'openai' | 'google' | 'moonshot', kind: FaultKind) =>
    providerFaults(service.services).inject(provider, { kind, delayMs: 0 }, 1)

  // STATUSES of each API: a model whose provider fails, and one that hangs.
  for (const [path, failing, hanging] of [
    ['/v1/messages', { ...QUESTION, model: 'claude-haiku-5-5' }, { ...QUESTION, model: 'kimi-k2.6' }],
    ['/v1/responses', { input: 'Hello', model: 'claude-haiku-5-5' }, { input: 'Hello', model: 'kimi-k2.6' }],
    [
      '/v1/embeddings',
      { input: 'Hello', model: 'text-embedding-3-small' },
      { input: 'Hello', model: 'gemini-embedding-001' },
    ],
  ] as const)
    test(`${path} answers 401, 403, 502 and 504 as chat completions do`, async () => {
      const trial = await GatewayTrial.open(service)
      const statusOf = async (body: object, from: Pick<GatewayTrial, 'service' | 'key'> = trial) =>
        (await postTo(from, path, body)).status
      assert.equal(await statusOf(failing, { service, key: `rk_${'0'.repeat(36)}` }), 401)
      const narrow = await GatewayTrial.open(service, { allowedModels: ['gpt-6-luna'] })
      assert.equal(await statusOf(failing, narrow), 403)
      fail(path === '/v1/embeddings' ? 'openai' : 'anthropic', 'server_error')
      assert.equal(await statusOf(failing), 502)
      fail(path === '/v1/embeddings' ? 'google' : 'moonshot', 'hang_before_headers')
      assert.equal(await statusOf(hanging), 504)
    })

  test('a message that breaks off ends with an error event and is charged in part', async () => {
    const trial = await GatewayTrial.open(service)
    fail('anthropic', 'cut_mid_stream')
    const stream = anthropicOf(trial).messages.stream({ ...QUESTION, model: 'claude-haiku-5-5' })
    await assert.rejects(stream.finalMessage(), (error: unknown) => {
      assert.ok(error instanceof Anthropic.APIError)
      assert.match(error.message, /The answer broke off/)
      return true
    })
    const [row] = await trial.usage(1)
    assert.deepEqual([row?.surface, row?.outcome], ['messages', 'partial'])
  })

  test('a response that breaks off ends as failed and is charged in part', async () => {
    const trial = await GatewayTrial.open(service)
    fail('openai', 'cut_mid_stream')
    const stream = await trial
      .openai()
      .responses.create({ model: 'gpt-6-luna', input: 'Hello there', stream: true })
    const events = await Array.fromAsync(stream)
    const last = events.at(-1)
    assert.ok(last?.type === 'response.failed')
    assert.match(last.response.error?.message ?? '', /The answer broke off/)
    const [row] = await trial.usage(1)
    assert.deepEqual([row?.surface, row?.outcome], ['responses', 'partial'])
  })

  test('failures before the answer are errors of each API and cost nothing', async () => {
    const trial = await GatewayTrial.open(service, { cacheSeconds: 0 })
    fail('openai', 'server_error')
    const embedding = trial.openai().embeddings.create({ model: 'text-embedding-3-small', input: 'a text' })
    await assert.rejects(embedding, (error: unknown) => {
      assert.ok(error instanceof OpenAI.APIError)
      assert.equal(error.status, 502)
      return true
    })
    fail('anthropic', 'server_error')
    const message = anthropicOf(trial).messages.create({ ...QUESTION, model: 'claude-haiku-5-5' })
    await assert.rejects(message, (error: unknown) => {
      assert.ok(error instanceof Anthropic.APIError)
      assert.deepEqual([error.status, error.type], [502, 'api_error'])
      return true
    })
    fail('anthropic', 'refused')
    const refused = anthropicOf(trial).messages.create({ ...QUESTION, model: 'claude-haiku-5-5' })
    await assert.rejects(refused, Anthropic.BadRequestError)
    for (const row of await trial.usage(3)) assert.deepEqual([row.outcome, row.cost], ['failed', 0n])
  })
})
