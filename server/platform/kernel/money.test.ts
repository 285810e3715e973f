import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from './errors.ts'
import { formatMoney, moneyNumber, parseAmount, share, toCents } from './money.ts'

suite('money', () => {
  test('reads numbers and decimal strings as micro-units', () => {
    for (const [input, micro] of [
      [100, 100_000_000n],
      ['80.00', 80_000_000n],
      [0.1, 100_000n],
      ['0.000001', 1n],
      [1e-6, 1n],
      ['1000000000', 10n ** 15n],
    ] as const) {
      assert.equal(parseAmount(input), micro, String(input))
    }
  })

  test('refuses what is no amount, with the field and what to do', () => {
    for (const input of [
      0,
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '1.0000001',
      '1e3',
      '',
      ' 1',
      '0x10',
      '1,5',
      '1000000000.000001',
      1e21,
      1e-7,
    ]) {
      assert.throws(
        () => parseAmount(input, { field: 'price' }),
        (error: ApiError) => error.row.status === 400 && error.message.includes('price'),
        String(input),
      )
    }
    assert.equal(parseAmount(0, { zero: true }), 0n)
    assert.throws(() => parseAmount('0.005', { cents: true }), ApiError)
  })

  test('writes 2 to 6 decimals and reads them back to the same amount', () => {
    assert.equal(formatMoney(80_000_000n), '80.00')
    assert.equal(formatMoney(1_234_500n), '1.2345')
    assert.equal(formatMoney(-1n), '-0.000001')
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 15n), micro => {
        const text = formatMoney(micro)
        assert.match(text, /^\d+\.\d{2,6}$/)
        assert.equal(parseAmount(text), micro)
        assert.equal(parseAmount(moneyNumber(micro)) === micro || moneyNumber(micro) < 0.000001, true)
      }),
    )
  })

  test('shares round one way only and never by floating point', () => {
    assert.equal(share(100_000_000n, 2000, 'floor'), 20_000_000n)
    assert.equal(share(1n, 2000, 'floor'), 0n)
    assert.equal(share(1n, 2000, 'ceil'), 1n)
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 15n), fc.integer({ min: 0, max: 10_000 }), (micro, bps) => {
        const [low, high] = [share(micro, bps, 'floor'), share(micro, bps, 'ceil')]
        assert.ok(low <= high && high - low <= 1n && low * 10_000n <= micro * BigInt(bps))
      }),
    )
  })

  test('card edges take whole cents only', () => {
    assert.equal(toCents(12_340_000n), 1234)
    assert.throws(() => toCents(1n))
  })
})
