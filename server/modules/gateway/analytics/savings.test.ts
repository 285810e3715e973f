import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { json, sql } from '#platform/kernel/sql'
import { registerHuman, sharedService, type Person, type TestService } from '#test'
import {
  removeWrittenUsage,
  usageRecord,
  writeUsage,
  type UsageDifference,
} from '../../../../test/support/gateway/usage.ts'
import { CHAT_MODELS } from '../catalog/data/models.ts'
import { INITIAL_PRICES } from '../catalog/data/prices.ts'
import { costNano, microOf } from '../catalog/index.ts'
import type { Catalog, TokenUsage } from '../core/model.ts'
import { savings } from './savings.ts'

interface Savings {
  baselineModel: string
  baselineUsd: string
  actualUsd: string
  savedUsd: string
  savedPct: number
}

suite('savings', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(async () => {
    await removeWrittenUsage(service)
    await service.close()
  })

  const get = async <Body>(person: Person, path: string, status = 200) => {
    const answer = await service.http<Body>('GET', path, { token: person.token })
    assert.equal(answer.status, status, answer.text)
    return answer.body
  }
  /** A new account with these requests. */
  const accountWith = async (requests: UsageDifference[]) => {
    const person = await registerHuman(service)
    await writeUsage(
      service,
      requests.map(request => usageRecord({ accountId: person.id, ...request })),
    )
    return person
  }

  test('savings price the same tokens at the baseline, long prompts at their own rates', async () => {
    const person = await accountWith([
      { tokens: { input: 1000, output: 500, cacheRead: 400, cacheWrite: 100 } },
      { tokens: { input: 300_000, output: 10 }, at: new Date(Date.now() - 30 * 3_600_000) },
      { surface: 'embeddings', tokens: { input: 5000, output: 0 } },
    ])
    const baseline = 'gpt-6.1-terra'
    const price = requireDefined(INITIAL_PRICES.find(({ model }) => model === baseline))
    const nano = (usage: TokenUsage) => costNano(price, usage, new Date())
    const tokens = { cacheRead: 0, cacheWrite: 0, reasoning: 0 }
    const expected =
      nano({ ...tokens, input: 1000, output: 500, cacheRead: 400, cacheWrite: 100 }) +
      nano({ ...tokens, input: 300_000, output: 10 })
    const found = await get<Savings>(person, `/v1/analytics/savings?baselineModel=${baseline}`)
    assert.equal(found.baselineUsd, formatMoney(microOf(expected)))
    assert.equal(found.actualUsd, '0.02')
    assert.equal(found.savedUsd, formatMoney(microOf(expected) - 20_000n))
    const percent = (100 * (expected - 20_000_000)) / expected
    assert.ok(Math.abs(found.savedPct - percent) <= 0.01, `${found.savedPct} is not ${percent}`)
  })

  test('the default baseline has the highest price, an unknown one is 400', async () => {
    const person = await accountWith([{}])
    assert.equal((await get<Savings>(person, '/v1/analytics/savings')).baselineModel, 'gpt-5.2-pro')
    await get(person, '/v1/analytics/savings?baselineModel=unknown', 400)
  })

  test('savings price each request by the hour and by the price of its moment', async () => {
    const id = `baseline-${newId()}`
    const [begin, change] = [new Date('2026-03-02T00:00:00Z'), new Date('2026-03-04T10:30:00Z')]
    const rates = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: input })
    // 1,000 nano-USD, twice as much at 8 to 10 on Tuesdays; 5,000 from Wednesday, half past ten.
    const peak = { days: [2], hours: [[8, 10]], rates: rates(2000) }
    await service.services.db.run(sql`
      insert into gateway_price (model, valid_from, input, output, cache_read, cache_write, length_tiers, peak, source, created_at)
      values (${id}, ${begin}, 1000, 0, 0, 1000, '[]', ${json(peak)}::jsonb, 'initial', now()),
        (${id}, ${change}, 5000, 0, 0, 5000, '[]', null, 'sync', now())`)
    const moments = {
      '2026-03-02T09:00:00Z': 1000,
      '2026-03-03T07:59:59Z': 1000,
      '2026-03-03T08:00:00Z': 2000,
      '2026-03-03T09:59:59Z': 2000,
      '2026-03-03T10:00:00Z': 1000,
      '2026-03-04T10:29:59Z': 1000,
      '2026-03-04T10:30:00Z': 5000,
      '2026-03-04T12:00:00Z': 5000,
    }
    const person = await accountWith(
      Object.keys(moments).map(at => ({ at: new Date(at), tokens: { input: 100, output: 0 }, costNano: 0 })),
    )
    const model = { ...requireDefined(CHAT_MODELS[0]), id }
    const only: Catalog = {
      models: () => [model],
      embeddingModels: () => [],
      find: () => model,
      priceOf: () => requireDefined(INITIAL_PRICES[0]),
    }
    const period = { from: '2026-03-01T00:00:00Z', to: '2026-03-10T00:00:00Z' }
    const found = await service.services.db.snapshot(q => savings(q, only, person.id, period))
    const nano = Object.values(moments).reduce((sum, input) => sum + 100 * input, 0)
    assert.equal(found.baselineUsd, formatMoney(microOf(nano)))
    assert.equal(found.savedPct, 100)
  })
})

function requireDefined<T>(value: T | undefined): T {
  assert.ok(value !== undefined)
  return value
}
