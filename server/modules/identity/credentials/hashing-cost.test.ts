import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestService, type TestService } from '#test'
import { inHashingSlot } from './hashing-queue.ts'

suite('what costs a hash', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  test('made-up tokens do not: they are refused while every slot for hashing is taken', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>()
    const holders = Array.from({ length: 8 }, (_, index) =>
      inHashingSlot({ account: String(index) }, () => held),
    )
    try {
      const post = (path: string, body: object) =>
        Promise.race([
          service.http<{ message: string }>('POST', path, { body }),
          sleep(5000, { status: 0, body: { message: 'it waits for a slot' } }, { ref: false }),
        ])
      const [reset, setup] = await Promise.all([
        post('/auth/reset-password', { token: 'A'.repeat(32), newPassword: 'long enough to hash' }),
        post('/auth/setup', {
          token: 'A'.repeat(32),
          email: 'eve@example.com',
          password: 'long enough to hash',
        }),
      ])
      for (const { status, body } of [reset, setup])
        assert.deepEqual([status, body.message], [400, 'Invalid or expired token'])
    } finally {
      release(undefined)
      await Promise.all(holders)
    }
  })
})
