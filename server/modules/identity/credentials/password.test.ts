import { suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import type { ApiError } from '#platform/kernel/errors'
import { useProductionHashing } from '#test'
import { inHashingSlot, type HashingSubject } from './hashing-queue.ts'
import { hashPassword, needsRehash, passwordFits } from './password.ts'

const WHO = { account: 'somebody' }

suite('passwords', () => {
  useProductionHashing()

  test('hashes with argon2id (19 MiB, 2 passes, 1 lane) and a random salt', async () => {
    const [first, second] = await Promise.all([
      hashPassword('correct horse', WHO),
      hashPassword('correct horse', WHO),
    ])
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.notEqual(first, second)
    assert.equal(await passwordFits('correct horse', first), true)
    assert.equal(await passwordFits('correct horsf', first), false)
    assert.equal(needsRehash(first), false)
  })

  test('rejects every password without a hash or with an invalid one', async () => {
    assert.equal(await passwordFits('correct horse', null), false)
    assert.equal(await passwordFits('correct horse', '$2b$10$notargon'), false)
    assert.equal(await passwordFits('', null), false)
  })

  test('a hash of other costs still fits and asks for a new one', async () => {
    const salt = Buffer.alloc(16, 7)
    const hash = argon2Sync('argon2id', {
      message: 'correct horse',
      nonce: salt,
      parallelism: 1,
      tagLength: 32,
      memory: 8192,
      passes: 1,
    })
    const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
    const weak = `$argon2id$v=19$m=8192,t=1,p=1$${unpadded(salt)}$${unpadded(hash)}`
    assert.equal(await passwordFits('correct horse', weak), true)
    assert.equal(needsRehash(weak), true)
  })

  test('one password typed in two Unicode forms fits', async () => {
    assert.equal(await passwordFits('cafe\u0301 noir', await hashPassword('caf\u00E9 noir', WHO)), true)
  })

  test('no more run at once than there are slots, also when some fail', async () => {
    let running = 0
    let most = 0
    let accounts = 0
    const work = (fails: boolean) =>
      inHashingSlot({ account: String(accounts++) }, async () => {
        most = Math.max(most, ++running)
        await new Promise(resolve => {
          setImmediate(resolve)
        })
        running--
        if (fails) throw new Error('refused')
      }).catch(() => undefined)
    await Promise.all(Array.from({ length: 50 }, (_, index) => work(index % 3 === 0)))
    assert.equal(running, 0)
    assert.ok(most >= 1 && most <= 3, `${most} at once`)
    assert.equal(await inHashingSlot(WHO, async () => 'free again'), 'free again')
  })

  test('queues a bounded number per address and account; the next get 503', async () => {
    const flood = async (calls: number, subjectOf: (index: number) => HashingSubject) => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      const all = Promise.allSettled(
        Array.from({ length: calls }, (_, index) => inHashingSlot(subjectOf(index), () => gate)),
      )
      open()
      return (await all)
        .filter(result => result.status === 'rejected')
        .map(({ reason }) => reason as ApiError)
    }
    const ofAccount = await flood(260, () => ({ ip: '192.0.2.1', account: 'one' }))
    assert.equal(ofAccount.length, 260 - 250 - 1)
    for (const { row, extra } of ofAccount)
      assert.deepEqual([row.status, extra.headers?.['Retry-After']], [503, '5'])
    const ofAddress = await flood(500, index => ({ ip: '192.0.2.1', account: String(index) }))
    assert.ok(ofAddress.length >= 97 && ofAddress.length <= 98, `${ofAddress.length} refused`)
    assert.deepEqual(
      await flood(500, index => ({ ip: `192.0.2.${index % 250}`, account: String(index) })),
      [],
    )
  })
})
