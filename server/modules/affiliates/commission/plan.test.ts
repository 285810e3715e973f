import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { planClawback, planEarning, tierOf } from './plan.ts'

suite('arithmetic of commissions', () => {
  test('the parts of any split sum to the share of the whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(0n, 10n ** 12n), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 3500 }),
        (fees, rateBps) => {
          const total = fees.reduce((sum, fee) => sum + fee, 0n)
          const whole = (total * BigInt(rateBps)) / 10_000n
          let state = { rateBps, amount: whole, countedFees: 0n, countedCommission: 0n }
          let earned = 0n
          for (const fee of fees) {
            const next = planEarning(state, fee)
            assert.ok(next.earned >= 0n)
            earned += next.earned
            state = next
          }
          assert.deepEqual([earned, state.amount], [whole, 0n])
        },
      ),
    )
  })

  test('no loss takes back more than was earned, and a whole loss takes all', () => {
    const positive = fc.bigInt(1n, 10n ** 12n)
    fc.assert(
      fc.property(positive, positive, positive, (amount, released, lost) => {
        const part = planClawback({ amount, clawedBack: 0n }, { lost, released })
        assert.ok(part >= 0n && part <= amount)
        if (lost >= released) assert.equal(part, amount)
      }),
    )
  })

  test('a tier begins at its number of active referrals', () => {
    const tiers = [0, 2, 3, 7, 8, 20, 21, 1000].map(referrals => tierOf(referrals).tier)
    assert.deepEqual(tiers, [
      'SCOUT',
      'SCOUT',
      'BUILDER',
      'BUILDER',
      'CAPTAIN',
      'CAPTAIN',
      'ARCHITECT',
      'ARCHITECT',
    ])
  })
})
