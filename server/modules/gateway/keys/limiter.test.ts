import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { ApiError } from '#platform/kernel/errors'
import { DEFAULT_CONFIG, type Admission, type KeyLimits, type RoutingKey } from '../core/key.ts'
import { createKeyLimiter } from './limiter.ts'
import { MinuteWindow } from './window.ts'

const NO_LIMITS: KeyLimits = {
  rpm: null,
  tpm: null,
  parallel: null,
  dailyUsd: null,
  weeklyUsd: null,
  monthlyUsd: null,
  endUserDailyUsd: null,
}
const keyWith = (limits: Partial<KeyLimits>, id = 'key'): RoutingKey => ({
  id,
  accountId: 'account',
  limits: { ...NO_LIMITS, ...limits },
  allowedModels: [],
  maxPriceUsd: null,
  errorFormat: 'envelope',
  cacheSeconds: 0,
  redactPii: false,
  expiresAt: null,
  config: DEFAULT_CONFIG,
})

/** A limiter on a clock that only the test moves. */
function trial(accountParallel = 1000) {
  let ms = 1_000_000
  const limiter = createKeyLimiter(accountParallel, () => ms)
  const pass = (seconds: number) => {
    ms += seconds * 1000
  }
  const refusal = (key: RoutingKey, tokens = 0): ApiError => {
    try {
      limiter.enter(key, { tokens })
    } catch (error) {
      assert.ok(error instanceof ApiError)
      return error
    }
    return assert.fail('the request was admitted')
  }
  return { limiter, pass, refusal }
}

suite('limits of a routing key', () => {
  test('of 50 requests at the same time, exactly 7 enter with parallel 7', async () => {
    const { limiter } = trial()
    const key = keyWith({ parallel: 7 })
    const admitted: Admission[] = []
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        await Promise.resolve()
        try {
          admitted.push(limiter.enter(key, { tokens: 1 }))
          return 200
        } catch (error) {
          return error instanceof ApiError ? error.row.status : 500
        }
      }),
    )
    assert.deepEqual([admitted.length, statuses.filter(status => status === 429).length], [7, 43])
    const [first] = admitted
    first?.leave(1)
    // A second call changes nothing.
    first?.leave(1)
    limiter.enter(key, { tokens: 1 })
    assert.throws(() => limiter.enter(key, { tokens: 1 }), /7 requests at the same time/)
  })

  test('requests in a minute: no 60 seconds hold more, and Retry-After is true', () => {
    const { limiter, pass, refusal } = trial()
    const key = keyWith({ rpm: 3 })
    limiter.enter(key, { tokens: 0 }).leave(0)
    pass(30)
    limiter.enter(key, { tokens: 0 }).leave(0)
    const { headers } = limiter.enter(key, { tokens: 0 })
    assert.deepEqual(headers, {
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m1s',
    })
    pass(30)
    const refused = refusal(key)
    assert.equal(refused.row.status, 429)
    assert.equal(refused.extra.headers?.['Retry-After'], '1')
    assert.equal(refused.extra.headers?.['x-ratelimit-remaining-requests'], '0')
    pass(1)
    limiter.enter(key, { tokens: 0 })
    assert.equal(refusal(key).extra.headers?.['Retry-After'], '30')
    // Another key has limits of its own.
    limiter.enter(keyWith({ rpm: 1 }, 'other'), { tokens: 0 })
  })

  test('tokens in a minute: reserved at entry, corrected when the request ends', () => {
    const { limiter, pass, refusal } = trial()
    const key = keyWith({ tpm: 1000 })
    const first = limiter.enter(key, { tokens: 400 })
    assert.equal(first.headers['x-ratelimit-remaining-tokens'], '600')
    const second = limiter.enter(key, { tokens: 600 })
    assert.equal(refusal(key, 1).row.status, 429)
    second.leave(100)
    assert.equal(limiter.enter(key, { tokens: 100 }).headers['x-ratelimit-remaining-tokens'], '400')
    // The answer made it more than was reserved.
    first.leave(900)
    assert.equal(refusal(key, 1).extra.headers?.['x-ratelimit-remaining-tokens'], '0')
    pass(61)
    assert.equal(limiter.enter(key, { tokens: 1000 }).headers['x-ratelimit-remaining-tokens'], '0')
    // No time helps.
    const { hint, headers } = refusal(key, 1001).extra
    assert.equal(hint, 'The prompt has 1001 tokens, and the key allows 1000 in a minute: send less')
    assert.equal(headers?.['x-should-retry'], 'false')
    assert.equal(refusal(key, 1).extra.headers?.['x-should-retry'], undefined)
  })

  test('an account has a limited number of requests at the same time with all its keys', () => {
    const { limiter, refusal } = trial(3)
    const other = { ...keyWith({}), accountId: 'another account' }
    const first = limiter.enter(keyWith({}, 'key-1'), { tokens: 1 })
    limiter.enter(keyWith({ parallel: 1 }, 'key-2'), { tokens: 1 })
    // What the limit of a key refuses takes no place.
    for (let attempt = 0; attempt < 5; attempt++) refusal(keyWith({ parallel: 1 }, 'key-2'), 1)
    limiter.enter(keyWith({}, 'key-3'), { tokens: 1 })
    const { hint, headers } = refusal(keyWith({}, 'key-1'), 1).extra
    assert.match(hint ?? '', /Your account has 3 requests under way/)
    assert.equal(headers?.['Retry-After'], '1')
    limiter.enter(other, { tokens: 1 })
    first.leave(1)
    first.leave(1)
    limiter.enter(keyWith({}, 'key-1'), { tokens: 1 })
    refusal(keyWith({}, 'key-1'), 1)
  })

  test('a refused request counts in no limit', () => {
    const { limiter, refusal } = trial()
    const key = keyWith({ rpm: 2, tpm: 100, parallel: 5 })
    for (let attempt = 0; attempt < 10; attempt++) refusal(key, 101)
    assert.equal(limiter.enter(key, { tokens: 50 }).headers['x-ratelimit-remaining-requests'], '1')
    refusal(key, 51)
    assert.deepEqual(limiter.enter(key, { tokens: 50 }).headers, {
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '1m1s',
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m1s',
    })
  })

  test('a lowered limit applies to what was counted before', () => {
    const { limiter, refusal } = trial()
    for (let request = 0; request < 5; request++) limiter.enter(keyWith({ rpm: 10 }), { tokens: 0 }).leave(0)
    assert.match(refusal(keyWith({ rpm: 5 })).extra.hint ?? '', /5 requests in a minute/)
    assert.deepEqual(limiter.enter(keyWith({}), { tokens: 0 }).headers, {})
  })
})

test('a minute window agrees with a plain list of what was counted', () => {
  const window = new MinuteWindow()
  const counted: { second: number; amount: number }[] = []
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  for (let second = 100; second < 2000; second += random(9) === 0 ? random(150) : random(3)) {
    const amount = 1 + random(20)
    window.add(second, amount)
    counted.push({ second, amount })
    const expected = counted
      .filter(each => each.second > second - 61)
      .reduce((sum, each) => sum + each.amount, 0)
    assert.equal(window.total(second), expected)
  }
})
