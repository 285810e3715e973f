import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { share } from '#platform/kernel/money'
import { feeOfRelease } from '../escrow/fee.ts'
import { proposedMilestones, rescaled } from '../deal/milestones.ts'

const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 12n }), { minLength: 1, maxLength: 30 })

test('the fees of any parts, in any order, sum to the fee of the whole, and none is negative or above its part', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 10_000 }), (parts, feeBps) => {
      let released = 0n
      let fees = 0n
      for (const part of parts) {
        const fee = feeOfRelease({ released, fees, feeBps }, part)
        assert.ok(fee >= 0n && fee <= part)
        released += part
        fees += fee
      }
      assert.equal(fees, share(released, feeBps, 'floor'))
    }),
  )
})

test('milestones at another price keep their proportion and sum to it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 10n ** 6n, max: 10n ** 12n }), { minLength: 1, maxLength: 20 }),
      fc.bigInt({ min: 10n ** 9n, max: 10n ** 13n }),
      (parts, price) => {
        const milestones = rescaled(
          parts.map((amount, index) => ({ key: String(index), title: '', amount: String(amount) })),
          price,
        )
        assert.equal(
          milestones.reduce((sum, each) => sum + BigInt(each.amount), 0n),
          price,
        )
        assert.ok(milestones.every(each => BigInt(each.amount) > 0n))
      },
    ),
  )
})

test('a price too small for every milestone to have a share is refused', () => {
  assert.throws(
    () =>
      rescaled(
        [
          { key: 'a', title: '', amount: '1' },
          { key: 'b', title: '', amount: '1000000' },
        ],
        5n,
      ),
    { name: 'ApiError' },
  )
})

test('milestones that do not sum to the budget, or share a key, are refused', () => {
  assert.throws(() =>
    proposedMilestones(
      [
        { key: 'a', amount: 1 },
        { key: 'b', amount: 2 },
      ],
      4_000_000n,
    ),
  )
  assert.throws(() =>
    proposedMilestones(
      [
        { key: 'a', amount: 1 },
        { key: 'a', amount: 2 },
      ],
      3_000_000n,
    ),
  )
})
