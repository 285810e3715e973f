import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { MINUTE } from '#platform/kernel/clock'
import type { Price, Rates, TokenUsage } from '../core/model.ts'
import { INITIAL_PRICES } from './data/prices.ts'
import { chargeOf, costNano, feeOf, microOf, ratesAt, worstCaseNano } from './price.ts'

const priceOf = (model: string): Price => {
  const price = INITIAL_PRICES.find(price => price.model === model)
  assert.ok(price, model)
  return price
}
const usage = (input: number, output: number, more: Partial<TokenUsage> = {}): TokenUsage => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...more,
})
/** A Monday. */
const at = (time: string): Date => new Date(`2026-11-23T${time}Z`)

const anyRates: fc.Arbitrary<Rates> = fc.record({
  input: fc.nat(50_000),
  output: fc.nat(200_000),
  cacheRead: fc.nat(50_000),
  cacheWrite: fc.nat(50_000),
})
const anyMoment = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2027-01-01T00:00:00Z'),
  noInvalidDate: true,
})
const withTiers = fc
  .record({ base: anyRates, edges: fc.uniqueArray(fc.nat(1000), { maxLength: 3 }), tier: anyRates })
  .map(({ base, edges, tier }) => ({
    base,
    lengthTiers: edges.toSorted((a, b) => b - a).map(above => ({ above, rates: tier })),
    peak: null,
  }))
const withPeak = fc
  .record({
    base: anyRates,
    days: fc.uniqueArray(fc.nat(6), { minLength: 1 }),
    from: fc.nat(23),
    rates: anyRates,
  })
  .chain(({ base, days, from, rates }) =>
    fc.integer({ min: from + 1, max: 24 }).map(to => ({
      base,
      lengthTiers: [],
      peak: { days, hours: [[from, to] as const], rates },
    })),
  )
const anyPrice: fc.Arbitrary<Price> = fc
  .oneof(withTiers, withPeak, fc.constantFrom(...INITIAL_PRICES))
  .map(price => ({ model: 'any', validFrom: new Date(0), ...price }))
const anyUsage = fc
  .tuple(fc.nat(300_000), fc.nat(128_000), fc.nat(300_000), fc.nat(300_000))
  .map(([input, output, read, write]) => {
    const cacheRead = Math.min(read, input)
    return usage(input, output, { cacheRead, cacheWrite: Math.min(write, input - cacheRead) })
  })

suite('price arithmetic', () => {
  test('prices each kind of token with its own rate', () => {
    const cost = costNano(
      priceOf('claude-sonnet-5-5'),
      usage(1000, 100, { cacheRead: 300, cacheWrite: 200 }),
      at('12:00:00'),
    )
    assert.equal(cost, 500 * 2000 + 300 * 200 + 200 * 2500 + 100 * 10_000)
  })

  test('prices the whole request by its length, from one token above the edge', () => {
    const luna = priceOf('gpt-6-luna')
    assert.equal(costNano(luna, usage(272_000, 1), at('00:00:00')), 272_000 * 100 + 500)
    assert.equal(costNano(luna, usage(272_001, 1), at('00:00:00')), 272_001 * 200 + 750)
  })

  test('takes the longest of several length tiers that applies', () => {
    const rates = (input: number): Rates => ({ input, output: 0, cacheRead: 0, cacheWrite: input })
    const price: Price = {
      ...priceOf('glm-5'),
      lengthTiers: [
        { above: 20, rates: rates(3) },
        { above: 10, rates: rates(2) },
      ],
    }
    const inputRate = (tokens: number) => ratesAt(price, tokens, at('00:00:00')).input
    assert.deepEqual([10, 11, 20, 21].map(inputRate), [1000, 2, 2, 3])
  })

  test('changes to peak rates and back at the exact moment', () => {
    const deepseek = priceOf('deepseek-flash')
    const inputAt = (moment: Date) => ratesAt(deepseek, 1, moment).input
    assert.equal(inputAt(at('00:59:59.999')), 150)
    assert.equal(inputAt(at('01:00:00')), 300)
    assert.equal(inputAt(at('03:59:59.999')), 300)
    assert.equal(inputAt(at('04:00:00')), 150)
    assert.equal(inputAt(at('06:00:00')), 300)
    assert.equal(inputAt(at('10:00:00')), 150)
    // Saturday
    assert.equal(inputAt(new Date('2026-11-28T02:00:00Z')), 150)
  })

  test('reserves peak rates for a request that may reach a peak hour', () => {
    const deepseek = priceOf('deepseek-flash')
    const worst = (moment: Date) => worstCaseNano(deepseek, { promptTokens: 10, maxTokens: 10, n: 1 }, moment)
    assert.equal(worst(at('00:30:00')), 10 * 300 + 10 * 1200)
    assert.equal(worst(at('05:30:00')), 10 * 300 + 10 * 1200)
    assert.equal(worst(at('12:00:00')), 10 * 150 + 10 * 600)
  })

  test('reserves every answer, and the prompt at the price of cache writes', () => {
    const worst = worstCaseNano(
      priceOf('claude-opus-5'),
      { promptTokens: 100, maxTokens: 10, n: 3 },
      at('12:00:00'),
    )
    assert.equal(worst, 100 * 6250 + 30 * 25_000)
  })

  test('never costs more than the worst case of its bounds', () => {
    const spare = fc.record({
      prompt: fc.nat(50_000),
      answer: fc.nat(1000),
      n: fc.integer({ min: 1, max: 4 }),
      late: fc.nat(60),
    })
    fc.assert(
      fc.property(
        anyPrice,
        anyUsage,
        anyMoment,
        spare,
        (price, used, moment, { prompt, answer, n, late }) => {
          const bounds = {
            promptTokens: used.input + prompt,
            maxTokens: Math.ceil(used.output / n) + answer,
            n,
          }
          const begun = new Date(moment.getTime() + late * MINUTE)
          const cost = costNano(price, used, begun)
          const worst = worstCaseNano(price, bounds, moment)
          assert.ok(Number.isSafeInteger(cost) && Number.isSafeInteger(worst))
          assert.ok(0 <= cost && cost <= worst, `${cost} > ${worst}`)
          assert.ok(chargeOf(cost) <= chargeOf(worst))
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('does not charge less than nothing for more cached tokens than the prompt has', () => {
    const price = priceOf('gpt-6-luna')
    assert.equal(costNano(price, usage(10, 0, { cacheRead: 25 }), at('00:00:00')), 10 * 10)
    assert.equal(
      costNano(price, usage(10, 0, { cacheRead: 6, cacheWrite: 9 }), at('00:00:00')),
      6 * 10 + 4 * 125,
    )
  })

  test('rounds a cost up to micro-USD and its fee of 8 % down', () => {
    assert.deepEqual([0, 1, 1000, 1001].map(microOf), [0n, 1n, 1n, 2n])
    assert.equal(feeOf(12n), 0n)
    assert.equal(feeOf(13n), 1n)
    assert.equal(chargeOf(99_001), 108n)
  })
})
