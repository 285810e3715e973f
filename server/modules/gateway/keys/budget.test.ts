import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'

interface Period {
  usedUsd: string
  remainingUsd: string | null
}

suite('budgets that are set within a period', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const setLimits = async ({ keyId, owner }: GatewayTrial, limits: object) => {
    const url = `/v1/auth/keys/${keyId}`
    const { status, text } = await service.http('PATCH', url, { token: owner.token, body: { limits } })
    assert.equal(status, 200, text)
  }
  const usageOf = async ({ key }: GatewayTrial) =>
    (
      await service.http<{ usage: Record<'day' | 'week' | 'month', Period> }>('GET', '/v1/key', {
        token: key,
      })
    ).body.usage
  const askLittle = (trial: GatewayTrial) => trial.chat({ model: 'claude-opus-5', max_tokens: 50 })
  /** A request that costs much more than `askLittle` can; what all have cost so far in micro-USD. */
  async function spend(trial: GatewayTrial, requests: number): Promise<bigint> {
    const messages = [{ role: 'user', content: 'Write an essay in 2000 words' }]
    const { status, text } = await trial.chat({ model: 'claude-opus-5', max_tokens: 1000, messages })
    assert.equal(status, 201, text)
    const rows = await trial.usage(requests)
    return rows.reduce((sum, { cost, fee }) => sum + cost + fee, 0n)
  }

  for (const [limit, period] of [
    ['dailyUsd', 'day'],
    ['weeklyUsd', 'week'],
    ['monthlyUsd', 'month'],
  ] as const)
    test(`what the key has cost before counts: ${limit}`, async () => {
      const trial = await GatewayTrial.open(service)
      const spent = await spend(trial, 1)
      assert.ok(spent > 0n)
      await setLimits(trial, { [limit]: Number(spent) / 1e6 })
      assert.equal((await usageOf(trial))[period].remainingUsd, '0.00')
      const refused = await askLittle(trial)
      assert.deepEqual([refused.status, refused.body.code], [402, 'ROUTING_BUDGET_EXCEEDED'])
    })

  test('what the key has cost while it had no budget counts when it has one again', async () => {
    const trial = await GatewayTrial.open(service, { limits: { monthlyUsd: 1 } })
    await spend(trial, 1)
    await setLimits(trial, { monthlyUsd: null })
    const spent = await spend(trial, 2)
    await setLimits(trial, { monthlyUsd: Number(spent) / 1e6 })
    const refused = await askLittle(trial)
    assert.deepEqual([refused.status, refused.body.code], [402, 'ROUTING_BUDGET_EXCEEDED'])
    // A higher one leaves the difference.
    await setLimits(trial, { monthlyUsd: 1 })
    assert.ok((await spend(trial, 3)) > spent)
  })
})
