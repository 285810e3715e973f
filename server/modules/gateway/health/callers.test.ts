import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { ProgrammableUpstream } from '../../../../test/support/gateway/upstream.ts'

/** A model for each case, because their breakers are independent. */
const [QUOTING, FORBIDDEN, MISSING, KEYLESS, GOOGLE] = [
  'gpt-6-luna',
  'gpt-6-astra',
  'claude-haiku-5-5',
  'claude-opus-5',
  'gemini-3.1-pro-preview',
]

suite('what one caller does to the breaker of a model', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  let careless: GatewayTrial
  let other: GatewayTrial
  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService(upstream.settings('openai', 'anthropic', 'google'))
    careless = await openTrial()
    other = await openTrial()
  })
  after(async () => {
    await service.close()
    await upstream.close()
  })
  async function openTrial(): Promise<GatewayTrial> {
    const trial = await GatewayTrial.open(service)
    await creditRouting(service.services.db, trial.owner.id, 50_000_000n, false)
    return trial
  }

  test('a refused parameter named like a key is 400, and others are answered', async () => {
    for (const name of ['authentication', 'api_key', 'unauthorized']) {
      const error = {
        message: `Unrecognized request argument supplied: ${name}`,
        type: 'invalid_request_error',
        param: name,
        code: 'unknown_parameter',
      }
      upstream.next({ status: 400, body: { error } })
      const refused = await careless.chat({ model: QUOTING, [name]: 1 }, { 'x-stainless-lang': 'js' })
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'provider_refused'])
      assert.equal((await other.chat({ model: QUOTING })).status, 201)
    }
  })

  test('a single 403 or 404 of the provider does not close the model to others', async () => {
    for (const [model, status] of [
      [FORBIDDEN, 403],
      [MISSING, 404],
    ] as const) {
      upstream.next({ status, body: { error: { message: 'No' } } })
      assert.equal((await careless.chat({ model })).status, 502)
      assert.equal((await other.chat({ model })).status, 201)
    }
  })

  test('a refused key of the operator closes the model at once', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const invalid = { code: 400, message: 'Pass another one', status: 'INVALID_ARGUMENT', details }
    for (const [model, step] of [
      [KEYLESS, { status: 401, body: { error: { message: 'No' } } }],
      [GOOGLE, { status: 400, body: [{ error: invalid }] }],
    ] as const) {
      upstream.next(step)
      assert.equal((await careless.chat({ model })).status, 502)
      assert.equal((await other.chat({ model })).status, 503)
    }
  })
})
