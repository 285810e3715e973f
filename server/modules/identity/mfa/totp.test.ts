import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { newTotpSecret, stepOf } from './totp.ts'

suite('TOTP', () => {
  test('accepts a code in its step and the two adjacent steps', () => {
    const secret = newTotpSecret()
    const step = 59_000_000
    for (const second of [0, 15, 29]) {
      const now = step * 30 + second
      const found = [-3, -2, -1, 0, 1, 2, 3].map(ahead =>
        stepOf(secret, generateSync({ secret, epoch: now + 30 * ahead }), new Date(now * 1000)),
      )
      assert.deepEqual(found, [null, null, step - 1, step, step + 1, null, null], `second ${second}`)
    }
  })

  test('spaces do not matter; what is not six digits, or of another secret, is none', () => {
    const [secret, other] = [newTotpSecret(), newTotpSecret()]
    const real = new Date(59_000_000 * 30_000)
    const code = generateSync({ secret, epoch: real.getTime() / 1000 })
    assert.equal(stepOf(secret, `${code.slice(0, 3)} ${code.slice(3)}`, real), 59_000_000)
    for (const wrong of ['', '12345', `${code}0`, `-${code.slice(1)}`, 'abcdef'])
      assert.equal(stepOf(secret, wrong, real), null, wrong)
    assert.equal(stepOf(other, code, real), null)
  })
})
