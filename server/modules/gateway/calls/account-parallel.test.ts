import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { eventually, startTestService, type TestService } from '#test'
import { creditRouting } from '../../../../test/support/gateway/funds.ts'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { postTo } from '../../../../test/support/gateway/surface-clients.ts'
import { ProgrammableUpstream } from '../../../../test/support/gateway/upstream.ts'

const MOST = 3
const STREAM = {
  model: 'gpt-6-luna',
  max_tokens: 50,
  stream: true,
  messages: [{ role: 'user', content: 'Hi' }],
}

suite('requests of an account at the same time', () => {
  let upstream: ProgrammableUpstream
  let service: TestService
  before(async () => {
    upstream = await ProgrammableUpstream.open()
    service = await startTestService({
      ...upstream.settings('openai'),
      GATEWAY_ACCOUNT_PARALLEL: String(MOST),
    })
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

  test('streams that one account holds open leave connections to others', async () => {
    const [one, other] = [await openTrial(), await openTrial()]
    const held = Promise.withResolvers<void>()
    upstream.usual = { hold: held.promise }
    const streams = await Promise.all(
      Array.from({ length: MOST }, () => postTo(one, '/v1/chat/completions', STREAM)),
    )
    assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([201]))
    for (const [path, body] of [
      ['/v1/chat/completions', STREAM],
      ['/v1/messages', STREAM],
      ['/v1/responses', { model: STREAM.model, input: 'Hi' }],
      ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hi' }],
    ] as const) {
      const refused = await postTo(one, path, body)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'], path)
      assert.match(await refused.text(), /Your account has 3 requests under way/)
    }
    upstream.usual = {}
    const { status } = await postTo(other, '/v1/chat/completions', { ...STREAM, stream: false })
    assert.equal(status, 201)
    held.resolve()
    for (const stream of streams) await stream.text()
    await eventually('the places are free', async () => {
      const response = await postTo(one, '/v1/chat/completions', { ...STREAM, stream: false })
      return response.status === 201
    })
  })
})
