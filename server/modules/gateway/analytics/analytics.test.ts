import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { registerHuman, sharedService, type Person, type TestService } from '#test'
import {
  removeWrittenUsage,
  usageRecord,
  writeUsage,
  type UsageDifference,
} from '../../../../test/support/gateway/usage.ts'
import { listUsage, type UsageQuery } from './usage.ts'

interface Figures {
  requests: number
  tokens: number
  costUsd: string
  feeUsd: string
  avgLatencyMs: number
  errorRate: number
  retryRate: number
}
interface List<Item> {
  object: string
  data: Item[]
  nextCursor: string | null
  message: string[]
}
type Listed = { id: string; model: string; costUsd: string; tokens: { input: number }; decision?: object }
interface Savings {
  baselineModel: string
  baselineUsd: string
  actualUsd: string
  savedUsd: string
  savedPct: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

suite('usage and analytics', () => {
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
  /** A new account with these requests, each in milliseconds before now. */
  const accountWith = async (requests: (UsageDifference & { agoMs?: number })[]) => {
    const person = await registerHuman(service)
    const records = await writeUsage(
      service,
      requests.map(({ agoMs = 0, ...difference }) =>
        usageRecord({ accountId: person.id, at: new Date(Date.now() - agoMs), ...difference }),
      ),
    )
    return { person, records }
  }

  test('lists requests by pages, the newest first, each once', async () => {
    const at = new Date()
    const { person, records } = await accountWith(
      Array.from({ length: 7 }, (_, index) => ({
        at: new Date(at.getTime() - Math.floor(index / 3) * 1000),
      })),
    )
    const seen: string[] = []
    let cursor: string | null = ''
    do {
      const page: List<Listed> = await get(person, `/v1/usage?limit=2${cursor && `&cursor=${cursor}`}`)
      assert.equal(page.object, 'list')
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor)
    assert.deepEqual(seen.toSorted(), records.map(({ id }) => id).toSorted())
    const moments = seen.map(id => records.find(record => record.id === id)?.at.getTime() ?? 0)
    assert.deepEqual(
      moments,
      moments.toSorted((a, b) => b - a),
    )
  })

  test('searches requests by id, requested model and end user', async () => {
    const { person, records } = await accountWith([
      { endUser: 'customer-17' },
      { requestedModel: 'svc/budget' },
      {},
    ])
    const found = async (search: string) =>
      (await get<List<Listed>>(person, `/v1/usage?search=${encodeURIComponent(search)}`)).data.map(({ id }) =>
        records.findIndex(record => record.id === id),
      )
    assert.deepEqual(await found('customer-17'), [0])
    assert.deepEqual(await found('svc/budget'), [1])
    assert.deepEqual(await found(records[2]?.id ?? ''), [2])
    assert.deepEqual(await found('customer'), [])
  })

  test('filters requests by period, model, key and outcome', async () => {
    const keyId = newId()
    const { person, records } = await accountWith([
      { keyId },
      { model: 'gpt-6-luna', provider: 'openai', tier: 'economy' },
      { outcome: 'failed', cost: 0n, fee: 0n, costNano: 0, attempts: [] },
      { agoMs: 2 * DAY },
    ])
    const idsOf = async (query: string) =>
      (await get<List<Listed>>(person, `/v1/usage?${query}`)).data.map(({ id }) =>
        records.findIndex(record => record.id === id),
      )
    assert.deepEqual(await idsOf(`key=${keyId}`), [0])
    assert.deepEqual(await idsOf('key=unknown'), [])
    assert.deepEqual(await idsOf('model=gpt-6-luna'), [1])
    assert.deepEqual(await idsOf('outcome=failed'), [2])
    const yesterday = new Date(Date.now() - DAY).toISOString()
    assert.deepEqual(await idsOf(`to=${yesterday}`), [3])
    assert.equal((await idsOf(`from=${yesterday}`)).length, 3)
    const { message } = await get<List<Listed>>(person, '/v1/usage?cursor=nonsense', 400)
    assert.deepEqual(message, ['cursor must be the nextCursor of a former answer'])
  })

  test('a page with a filter reads a limited number of requests', async () => {
    const keyId = newId()
    const { person, records } = await accountWith([
      { agoMs: 9 * HOUR, outcome: 'cancelled', endUser: 'rare', keyId, model: 'gpt-6-luna' },
      ...Array.from({ length: 9 }, (_, index) => ({ agoMs: index * HOUR })),
    ])
    const [rare] = records
    /** The ids on each page until the last one, where a page reads four requests. */
    const pagesOf = async (query: UsageQuery): Promise<string[][]> => {
      const pages: string[][] = []
      for (let cursor: string | null = ''; cursor !== null && pages.length < 10;) {
        const page = await service.services.db.snapshot(q =>
          listUsage(q, person.id, { ...query, ...(cursor ? { cursor } : {}) }, 4),
        )
        pages.push(page.data.map(({ id }) => id))
        cursor = page.nextCursor
      }
      return pages
    }
    const found = [rare?.id]
    for (const query of [{ outcome: 'cancelled' }, { search: 'rare' }] as const)
      assert.deepEqual(await pagesOf(query), [[], [], found])
    // The sums of the hours say where requests of a model and a key are, and the id is unique.
    for (const query of [{ key: keyId }, { model: 'gpt-6-luna' }, { search: rare?.id ?? '' }])
      assert.deepEqual(await pagesOf(query), [found])
    assert.deepEqual(await pagesOf({ model: 'claude-sonnet-5-5', outcome: 'cancelled' }), [[], [], []])
    assert.deepEqual(await pagesOf({ model: 'claude-opus-5' }), [[]])
    assert.deepEqual(await pagesOf({ outcome: 'failed' }), [[]])
    const many = await pagesOf({ model: 'claude-sonnet-5-5', limit: 3 })
    assert.deepEqual(
      many.flat().toSorted(),
      records
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    )
  })

  test('shows the decision in the routing log, whose limit is a string', async () => {
    const decision = { kind: 'math', candidates: [{ model: 'gpt-6-luna', score: 0.7 }] }
    const { person } = await accountWith([{ decision }, {}, {}])
    const log = await get<List<Listed>>(person, '/v1/analytics/routing-log?limit=1')
    assert.equal(log.data.length, 1)
    const all = await get<List<Listed>>(person, '/v1/analytics/routing-log')
    assert.deepEqual(
      all.data.find(entry => JSON.stringify(entry.decision) === JSON.stringify(decision))?.decision,
      decision,
    )
    for (const limit of ['0', '101', '1.5', 'all'])
      await get(person, `/v1/analytics/routing-log?limit=${limit}`, 400)
  })

  test('sums requests of all hours, late rows and repeated writes once', async () => {
    const failed = {
      outcome: 'failed',
      cost: 0n,
      fee: 0n,
      costNano: 0,
      tokens: { input: 0, output: 0 },
    } as const
    const two = [
      { model: 'glm-5', result: 'timeout', latencyMs: 5 },
      { model: 'claude-sonnet-5-5', result: 'ok', latencyMs: 5 },
    ]
    const { person, records } = await accountWith([
      { latencyMs: 100 },
      { latencyMs: 300, agoMs: 3 * HOUR, attempts: two },
      { ...failed, latencyMs: 200, agoMs: 5 * DAY },
    ])
    const late = usageRecord({ accountId: person.id, at: new Date(Date.now() - 3 * HOUR), latencyMs: 200 })
    await writeUsage(service, [late])
    await writeUsage(service, [...records, late])
    const found = await get<Figures>(person, '/v1/analytics/summary')
    const { requests, tokens, costUsd, feeUsd, avgLatencyMs, errorRate, retryRate } = found
    assert.deepEqual(
      [requests, tokens, costUsd, feeUsd, avgLatencyMs, errorRate, retryRate],
      [4, 300, '0.03', '0.0024', 200, 0.25, 0.25],
    )
  })

  test('a period that begins and ends within hours counts exactly its requests', async () => {
    const begin = Math.floor(Date.now() / HOUR) * HOUR - 10 * HOUR
    const minutes = [0, 10, 50, 60, 119, 120, 150, 179, 180]
    const { person } = await accountWith(minutes.map(minute => ({ at: new Date(begin + minute * 60_000) })))
    const count = async (from: number, to: number) => {
      const [since, until] = [from, to].map(minute => new Date(begin + minute * 60_000).toISOString())
      const { requests } = await get<Figures>(person, `/v1/analytics/summary?from=${since}&to=${until}`)
      return requests
    }
    for (const [from, to] of [
      [0, 180],
      [10, 179],
      [11, 20],
      [0, 60],
      [50, 151],
      [119, 121],
      [61, 119],
    ] as const) {
      const expected = minutes.filter(minute => minute >= from && minute < to).length
      assert.equal(await count(from, to), expected, `${from} to ${to}`)
    }
    await get(person, '/v1/analytics/summary?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 400)
  })

  test('two transactions that write rows of the same hours lose none of them', async () => {
    const person = await registerHuman(service)
    const at = new Date()
    const batch = () =>
      Array.from({ length: 20 }, (_, index) =>
        usageRecord({ accountId: person.id, keyId: person.id, at, model: `model-${(index * 7) % 5}` }),
      )
    await Promise.all(Array.from({ length: 8 }, () => writeUsage(service, batch())))
    assert.equal((await get<Figures>(person, '/v1/analytics/summary')).requests, 160)
  })

  test('groups by model, tier and key', async () => {
    const keyId = newId()
    const { person } = await accountWith([
      { keyId },
      { keyId, agoMs: DAY },
      { model: 'gpt-6-luna', provider: 'openai', tier: 'economy', cost: 5n, fee: 0n },
    ])
    const models = await get<List<Figures & { model: string; provider: string }>>(
      person,
      '/v1/analytics/by-model',
    )
    assert.deepEqual(
      models.data.map(({ model, provider, requests, costUsd }) => [model, provider, requests, costUsd]),
      [
        ['claude-sonnet-5-5', 'anthropic', 2, '0.02'],
        ['gpt-6-luna', 'openai', 1, '0.000005'],
      ],
    )
    const tiers = await get<List<Figures & { tier: string }>>(person, '/v1/analytics/by-tier')
    assert.deepEqual(
      tiers.data.map(({ tier, requests }) => [tier, requests]),
      [
        ['economy', 1],
        ['mid', 2],
      ],
    )
    const byKey = await get<Figures & { keys: (Figures & { keyId: string })[] }>(
      person,
      '/v1/auth/keys/analytics/summary',
    )
    assert.equal(byKey.requests, 3)
    assert.deepEqual(
      byKey.keys.map(key => [key.keyId === keyId, key.requests]),
      [
        [true, 2],
        [false, 1],
      ],
    )
  })

  test('another account sees nothing of it', async () => {
    await accountWith([{}, {}])
    const other = await registerHuman(service)
    for (const path of [
      '/v1/usage',
      '/v1/analytics/routing-log',
      '/v1/analytics/by-model',
      '/v1/analytics/by-tier',
    ])
      assert.deepEqual((await get<List<unknown>>(other, path)).data, [], path)
    for (const path of ['/v1/analytics/summary', '/v1/auth/keys/analytics/summary'])
      assert.equal((await get<Figures>(other, path)).requests, 0, path)
    const nothing = await get<Savings>(other, '/v1/analytics/savings')
    assert.deepEqual([nothing.baselineUsd, nothing.savedUsd, nothing.savedPct], ['0.00', '0.00', 0])
  })
})
