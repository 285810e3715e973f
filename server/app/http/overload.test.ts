import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { negotiate, openMarket, startTestService, type Answer, type Market, type TestService } from '#test'
import { AdaptiveLimit } from './adaptive-limit.ts'

suite('the number of requests under way', () => {
  const LIMITS = { lateMs: 100, waiting: 200 }

  test('falls while the event loop is late, not below 64, and rises again', () => {
    const limit = new AdaptiveLimit(LIMITS, () => 0)
    for (let n = 0; n < 1000; n++) assert.ok(limit.tryEnter())
    limit.adapt(101)
    assert.equal(limit.limit, 900)
    assert.equal(limit.tryEnter(), false)
    for (let n = 0; n < 100; n++) limit.adapt(500)
    assert.equal(limit.limit, 64)
    for (let n = 0; n < 1000; n++) limit.leave()
    for (let n = 0; n < 64; n++) assert.ok(limit.tryEnter())
    assert.equal(limit.tryEnter(), false)
    for (let n = 0; n < 200; n++) limit.adapt(100)
    assert.equal(limit.limit, 10_000)
    limit.stop()
  })

  test('falls while too many requests wait for the database', () => {
    let waiting = 200
    const limit = new AdaptiveLimit(LIMITS, () => waiting)
    for (let n = 0; n < 500; n++) limit.tryEnter()
    limit.adapt(0)
    assert.equal(limit.limit, 10_000)
    waiting = 201
    limit.adapt(0)
    assert.equal(limit.limit, 450)
    limit.stop()
  })
})

suite('an overloaded service', () => {
  const CLIENTS = 100
  let service: TestService
  let market: Market
  before(async () => {
    // Late as soon as anything takes time.
    service = await startTestService({ OVERLOAD_LATE_MS: '1' })
    market = await openMarket(service)
  })
  after(() => service.close())

  test('refuses reads with 503 and Retry-After, takes orders, and answers again afterwards', async () => {
    const answers: Answer<{ code?: string }>[] = []
    const isRefused = ({ status }: Answer<unknown>) => status === 503
    let isLoaded = true
    const readers = Array.from({ length: CLIENTS }, async () => {
      while (isLoaded) answers.push(await service.http('GET', '/agents?limit=1'))
    })
    try {
      while (!answers.some(isRefused)) await sleep(10)
      await negotiate(market)
      assert.equal((await service.http('GET', '/healthz')).status, 200)
    } finally {
      isLoaded = false
      await Promise.all(readers)
    }
    for (const { body, headers } of answers.filter(isRefused)) {
      assert.equal(body.code, 'OVERLOADED')
      assert.match(headers.get('retry-after') ?? '', /^[123]$/)
    }
    assert.deepEqual(
      [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b),
      [200, 503],
    )
    assert.equal((await service.http('GET', '/agents?limit=1')).status, 200)
  })
})
