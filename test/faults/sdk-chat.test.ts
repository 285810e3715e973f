import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { ConnectionError, Svc } from '#sdk'
import { eventually, sharedService, type TestService } from '#test'
import { GatewayTrial } from '../support/gateway/gateway-trial.ts'
import { UnreliableProxy } from './proxy.ts'

suite('streams of the SDK behind a connection that breaks', () => {
  let service: TestService
  let proxy: UnreliableProxy
  before(async () => {
    service = await sharedService()
    proxy = await UnreliableProxy.open(service.baseUrl)
  })
  after(async () => {
    await proxy.close()
    await service.close()
  })

  const client = (apiKey: string) => new Svc({ baseUrl: proxy.url, apiKey })

  test('a stream of a model sends no key by itself, with which it would run on when it is stopped', async () => {
    const trial = await GatewayTrial.open(service)
    const svc = client(trial.key)
    proxy.plan([])
    const messages = [{ role: 'user' as const, content: 'Say hello' }]
    for await (const chunk of svc.chat.stream({ model: 'auto', messages })) {
      assert.ok(chunk.id)
      break
    }
    assert.deepEqual(
      proxy.seen.map(({ key }) => key),
      [undefined],
    )
  })

  test('an answer of a model that is cut off is an error, and comes whole and unpaid with a key', async () => {
    const trial = await GatewayTrial.open(service)
    const svc = client(trial.key)
    const body = { model: 'auto', messages: [{ role: 'user' as const, content: 'Say hello' }] }
    const idempotencyKey = randomUUID()
    proxy.plan(['cut'], /completions/)
    const cut = await Array.fromAsync(svc.chat.stream(body, { idempotencyKey })).catch(
      (error: unknown) => error,
    )
    assert.ok(cut instanceof ConnectionError && cut.idempotencyKey === idempotencyKey, String(cut))
    proxy.plan([])
    const chunks = await Array.fromAsync(svc.chat.stream(body, { idempotencyKey }))
    assert.match(
      chunks.map(({ choices: [first] }) => first?.delta.content ?? '').join(''),
      /^Simulated answer of .*Say hello$/,
    )
    const owner = new Svc({ baseUrl: service.baseUrl, apiKey: trial.owner.token })
    const paid = async () =>
      (await owner.request('GET /v1/usage')).data.filter(({ costUsd }) => Number(costUsd) > 0)
    // Usage is written in batches.
    await eventually('the usage is written', async () => (await paid()).length > 0)
    assert.deepEqual(
      (await paid()).map(({ outcome }) => outcome),
      ['completed'],
    )
  })
})
