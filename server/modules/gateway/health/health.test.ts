import assert from 'node:assert/strict'
import { after, before, mock, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { formatMoney } from '#platform/kernel/money'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { ProgrammableUpstream } from '../../../../test/support/gateway/upstream.ts'
import { Collector } from '../calls/collect.ts'
import { HttpTransport } from '../providers/transport/http.ts'

const MODEL = 'gpt-6-luna'

interface Health {
  status: string
  simulated: boolean
  models: { total: number; configured: number; available: number }
  data: {
    model: string
    status: string
    breaker: string
    failures: number
    lastFailure: string | null
    ok: boolean
  }[]
  probed: number
  failed: number
  costUsd: string
}

suite('health of the models', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  let token: string
  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService({ ...upstream.settings('openai'), GATEWAY_RETRIES: '4' })
    token = await service.adminToken()
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })
  const read = async (path: string) => (await service.http<Health>('GET', path, { token })).body
  const probe = () => service.http<Health>('POST', '/v1/routing/admin/probe-models', { token })

  test('models of providers without a key are unconfigured', async () => {
    const { status, simulated, models } = await read('/v1/routing/health')
    assert.deepEqual([status, simulated, models.total], ['ok', false, 15])
    assert.ok(models.configured > 0 && models.configured === models.available)
    const { data } = await read('/v1/routing/model-status')
    assert.equal(data.filter(each => each.status === 'unconfigured').length, 15 - models.configured)
  })

  test('a model that fails is unavailable until a probe succeeds', async () => {
    const trial = await GatewayTrial.open(service)
    await creditRouting(service.services.db, trial.owner.id, 1_000_000n, false)
    upstream.usual = { fault: 'server_error' }
    assert.equal((await trial.chat({ model: MODEL })).status, 502)
    assert.equal((await trial.chat({ model: MODEL })).status, 503)
    const of = ({ data }: Health) => data.find(each => each.model === MODEL)
    const broken = of(await read('/v1/routing/admin/model-health'))
    assert.deepEqual(
      [broken?.status, broken?.breaker, broken?.lastFailure],
      ['unavailable', 'open', 'server_error'],
    )
    assert.equal((await read('/v1/routing/health')).status, 'degraded')
    const failed = await probe()
    assert.deepEqual(
      [failed.status, failed.body.failed, failed.body.probed],
      [201, failed.body.probed, failed.body.data.length],
    )
    assert.equal(failed.body.costUsd, '0.00')
    upstream.usual = {}
    const owed = () => balanceOf(service.services.db, accounts.provider('openai'), 'USD')
    const before = await owed()
    const { body } = await probe()
    assert.equal(body.failed, 0)
    assert.ok(Number(body.costUsd) > 0)
    assert.equal(formatMoney((await owed()) - before), body.costUsd)
    assert.equal(of(await read('/v1/routing/model-status'))?.status, 'available')
    assert.equal((await trial.chat({ model: MODEL })).status, 201)
    assert.equal((await trial.usage(2)).length, 2)
  })

  test('an internal error says nothing about the model, before an answer and within one', async () => {
    const trial = await GatewayTrial.open(service)
    await creditRouting(service.services.db, trial.owner.id, 1_000_000n, false)
    const stateOf = async () =>
      (await read('/v1/routing/admin/model-health')).data.find(each => each.model === 'gpt-6.1-terra')
    const chat = (body: object) => trial.chat({ model: 'gpt-6.1-terra', max_tokens: 5, ...body })
    const before = await stateOf()
    const posting = mock.method(HttpTransport.prototype, 'post', () => Promise.reject(new TypeError('a bug')))
    assert.equal((await chat({})).status, 500)
    posting.mock.restore()
    assert.ok(before)
    assert.deepEqual(await stateOf(), before)
    const reading = mock.method(Collector.prototype, 'add', () => {
      throw new TypeError('a bug')
    })
    upstream.usual = { delayMs: 1 }
    const { text } = await chat({ stream: true })
    reading.mock.restore()
    upstream.usual = {}
    assert.match(text, /"finish_reason":"error"/)
    const after = await stateOf()
    assert.deepEqual([after?.failures, after?.lastFailure], [before.failures, before.lastFailure])
  })
})
