import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DAY } from '#platform/kernel/clock'
import { CHAT_MODELS, EMBEDDING_MODELS } from './data/models.ts'
import { INITIAL_PRICES } from './data/prices.ts'
import { checkCurrent, LEAD_MS, planSync, TIER_BANDS } from './plan-sync.ts'
import { bookOf, priceAt } from './price-book.ts'
import type { PriceChange } from './schema.ts'

const NOW = new Date('2026-12-01T12:00:00Z')
const ALL = [...CHAT_MODELS, ...EMBEDDING_MODELS]
const book = bookOf(INITIAL_PRICES)
const prices = {
  find: (id: string) => ALL.find(model => model.id === id),
  priceOf: (model: { id: string }, at: Date) => priceAt(book, model, at),
}
const plan = (...changes: PriceChange[]) => planSync(changes, prices, NOW)
const reasonOf = (change: PriceChange) => {
  const { changed, rejected } = plan(change)
  assert.deepEqual(changed, [])
  return rejected[0]?.reason ?? 'none'
}

const GLM = { model: 'glm-5', input: '1.00', output: '3.20', cacheRead: '0.20', cacheWrite: '1.00' }

suite('the gate of price changes', () => {
  test('finds every committed price within its band and sound', () => {
    assert.deepEqual(checkCurrent(ALL, prices, NOW), { checked: 18, changed: [], rejected: [] })
    for (const { id, tier } of CHAT_MODELS) {
      const { input } = priceAt(book, { id }, NOW).base
      const [from, to] = TIER_BANDS[tier]
      assert.ok(from <= input && input <= to, id)
    }
  })

  test('reports a current price that is not sound', () => {
    const broken = {
      ...prices,
      priceOf: (model: { id: string }, at: Date) => {
        const price = prices.priceOf(model, at)
        return model.id === 'glm-5' ? { ...price, base: { ...price.base, cacheRead: 1001 } } : price
      },
    }
    assert.deepEqual(checkCurrent(ALL, broken, NOW).rejected, [
      { model: 'glm-5', reason: 'cacheRead <= input <= cacheWrite does not hold' },
    ])
  })

  test('takes a change from its moment on, in five seconds at the earliest', () => {
    const soon = new Date(NOW.getTime() + LEAD_MS).toISOString()
    const { changed } = plan(
      { model: 'kimi-k2.6', input: '0.90', output: '4.00', validFrom: NOW.toISOString() },
      { ...GLM, input: '1.20', cacheWrite: '1.20' },
      { ...GLM, input: 1.5, cacheWrite: 1.5, validFrom: '2026-12-24T00:00:00Z' },
    )
    assert.deepEqual(
      changed.map(({ base, validFrom }) => [base.input, validFrom.toISOString()]),
      [
        [900, soon],
        [1200, soon],
        [1500, '2026-12-24T00:00:00.000Z'],
      ],
    )
  })

  test('compares each change with the one before it, in the order of their moments', () => {
    const [christmas, boxingDay] = ['2026-12-24T00:00:00.000Z', '2026-12-26T00:00:00.000Z']
    const tier = { above: 1000, input: '1.60', output: '4.00' }
    const temporary = { ...GLM, output: '3.40', lengthTiers: [tier], validFrom: christmas }
    for (const changes of [
      [temporary, { ...GLM, lengthTiers: [], validFrom: boxingDay }],
      [{ ...GLM, lengthTiers: [], validFrom: boxingDay }, temporary],
    ]) {
      const { changed, rejected } = plan(...changes)
      assert.deepEqual(rejected, [])
      assert.deepEqual(
        changed.map(({ validFrom, base, lengthTiers }) => [
          validFrom.toISOString(),
          base.output,
          lengthTiers.length,
        ]),
        [
          [christmas, 3400, 1],
          [boxingDay, 3200, 0],
        ],
      )
    }
    // What the second does not state comes from the first.
    const [, second] = plan(temporary, { ...GLM, output: '3.50', validFrom: boxingDay }).changed
    assert.deepEqual([second?.base.output, second?.lengthTiers.length], [3500, 1])
  })

  test('checks the step of a change from the one before it', () => {
    const [first, second] = ['2026-12-24T00:00:00.000Z', '2026-12-26T00:00:00.000Z']
    const steps = plan(
      { ...GLM, output: '30', validFrom: first },
      { ...GLM, output: '200', validFrom: second },
    )
    assert.deepEqual([steps.changed.map(({ base }) => base.output), steps.rejected], [[30_000, 200_000], []])
    const { rejected } = plan(
      { ...GLM, output: '0.40', validFrom: first },
      { ...GLM, output: '5', validFrom: second },
    )
    assert.match(rejected[0]?.reason ?? '', /more than a factor of 10/)
  })

  test('compares a change with a stored price that begins after the change before it', () => {
    const [first, stored, second] = ['2026-12-24', '2026-12-25', '2026-12-26'].map(day => new Date(day))
    const later = { ...priceAt(book, { id: 'glm-5' }, NOW), validFrom: stored ?? NOW }
    const changed = planSync(
      [
        { ...GLM, output: '3.40', validFrom: first?.toISOString() },
        { ...GLM, validFrom: second?.toISOString() },
      ],
      {
        ...prices,
        priceOf: (model, at) =>
          at.getTime() >= later.validFrom.getTime() ? later : prices.priceOf(model, at),
      },
      NOW,
    ).changed
    assert.deepEqual(
      changed.map(({ base }) => base.output),
      [3400],
    )
  })

  test('passes over a price that is as it is', () => {
    assert.deepEqual(plan(GLM), { checked: 1, changed: [], rejected: [] })
  })

  test('takes what a change does not state from the current price', () => {
    const [sonnet] = plan({ model: 'claude-sonnet-5-5', input: '3.00', output: '15.00' }).changed
    assert.deepEqual(sonnet?.base, { input: 3000, output: 15_000, cacheRead: 300, cacheWrite: 3750 })
    const [deepseek] = plan({ model: 'deepseek-flash', input: '0.2', output: '0.6' }).changed
    assert.deepEqual(deepseek?.peak, priceAt(book, { id: 'deepseek-flash' }, NOW).peak)
    const [without] = plan({ model: 'deepseek-flash', input: '0.2', output: '0.6', peak: null }).changed
    assert.equal(without?.peak, null)
  })

  test('sorts length tiers by their length', () => {
    const tier = { input: '1.50', output: '4.00' }
    const [glm] = plan({
      ...GLM,
      lengthTiers: [
        { above: 1000, ...tier },
        { above: 5000, ...tier },
      ],
    }).changed
    assert.deepEqual(
      glm?.lengthTiers.map(({ above }) => above),
      [5000, 1000],
    )
  })

  test('rejects what is not a price', () => {
    assert.equal(reasonOf({ ...GLM, model: 'gpt-7' }), 'unknown model')
    assert.match(reasonOf({ ...GLM, input: '1.0005' }), /at most 3 decimals/)
    assert.match(reasonOf({ ...GLM, input: -1 }), /at most 3 decimals/)
    assert.match(reasonOf({ ...GLM, output: 1e21 }), /at most 3 decimals/)
    assert.equal(reasonOf({ ...GLM, output: 0 }), 'a price is zero')
  })

  test('rejects cache prices on the wrong side of the input price', () => {
    const reason = 'cacheRead <= input <= cacheWrite does not hold'
    assert.equal(reasonOf({ ...GLM, cacheRead: '1.01' }), reason)
    assert.equal(reasonOf({ ...GLM, cacheWrite: '0.99' }), reason)
    assert.equal(
      reasonOf({ ...GLM, lengthTiers: [{ above: 9, input: 2, output: 4, cacheRead: 3, cacheWrite: 3 }] }),
      reason,
    )
  })

  test('rejects an input price outside the band of its tier', () => {
    const reason = /within the band of the tier mid/
    assert.match(reasonOf({ model: 'glm-5', input: '0.999', output: '3.20' }), reason)
    assert.match(reasonOf({ model: 'glm-5', input: '3.001', output: '3.20' }), reason)
    assert.equal(plan({ model: 'glm-5', input: '3', output: '3.20' }).changed.length, 1)
  })

  test('rejects a change by more than a factor of ten', () => {
    assert.match(reasonOf({ ...GLM, output: '32.01' }), /more than a factor of 10/)
    assert.match(reasonOf({ ...GLM, output: '0.319' }), /more than a factor of 10/)
    assert.match(reasonOf({ model: 'qwen3.7-flash', input: '0.301', output: '0.13' }), /more than a factor/)
    assert.equal(plan({ ...GLM, output: '32' }).changed.length, 1)
  })

  test('rejects a moment in the past, beyond a year, or taken by another change', () => {
    const changed = { ...GLM, output: '3.30' }
    assert.equal(reasonOf({ ...changed, validFrom: '2026-12-01T11:59:59Z' }), 'validFrom is in the past')
    const late = new Date(NOW.getTime() + 400 * DAY).toISOString()
    assert.equal(reasonOf({ ...changed, validFrom: late }), 'validFrom is more than a year ahead')
    assert.equal(reasonOf({ ...changed, validFrom: 'tomorrow' }), 'validFrom is not a time')
    const { changed: taken, rejected } = plan(changed, { ...GLM, output: '3.40' })
    assert.deepEqual([taken.length, rejected[0]?.reason], [1, 'has another change at this moment'])
  })

  test('rejects length tiers that are cheaper, too dear, twice, or beside peak hours', () => {
    const tier = { above: 1000, input: '1.50', output: '4.00' }
    const withTiers = (...lengthTiers: NonNullable<PriceChange['lengthTiers']>) =>
      reasonOf({ ...GLM, lengthTiers })
    assert.equal(withTiers({ ...tier, output: '3.10' }), 'a length tier is cheaper than a shorter one')
    assert.equal(
      withTiers(tier, { ...tier, above: 500, input: '1.60' }),
      'a length tier is cheaper than a shorter one',
    )
    assert.match(withTiers({ ...tier, input: '10.01' }), /more than 10 times/)
    assert.equal(withTiers(tier, tier), 'two length tiers begin at one length')
    assert.equal(
      reasonOf({ model: 'deepseek-flash', input: '0.2', output: '0.6', lengthTiers: [tier] }),
      'has both length tiers and peak hours',
    )
    const peak = { days: [1], hours: [[6, 4]], input: 2, output: 4 }
    assert.equal(reasonOf({ ...GLM, peak }), 'a peak hour ends before it begins')
  })
})
