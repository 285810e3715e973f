import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import process from 'node:process'
import { before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GeneralLimits } from './general-limits.ts'
import { createLog } from '../../adapters/log/log.ts'

const REDIS = process.env.SVC_TEST_REDIS ?? 'redis://127.0.0.1:6379'
const log = createLog('silent')

suite('general limits', () => {
  let real = new Date()
  const clock = { now: () => real, real: () => real }
  let redis = false
  before(async () => {
    const { hostname, port } = new URL(REDIS)
    redis = await new Promise(resolve => {
      const socket = connect(Number(port || 6379), hostname)
      socket
        .once('connect', () => {
          socket.destroy()
          resolve(true)
        })
        .once('error', () => resolve(false))
    })
  })

  test('without Redis n calls pass in this process and n+1 does not, until the window has ended', async () => {
    const limits = new GeneralLimits(clock, log)
    const taken = await Promise.all(Array.from({ length: 30 }, () => limits.take('ip:1', 20, 60)))
    assert.equal(taken.filter(each => each.allowed).length, 20)
    assert.equal((await limits.take('ip:2', 20, 60)).allowed, true)
    real = new Date(real.getTime() + 60_000)
    assert.deepEqual(await limits.take('ip:1', 20, 60), {
      allowed: true,
      limit: 20,
      remaining: 19,
      resetSeconds: 60,
    })
  })

  test('with Redis two processes let exactly n of 200 parallel calls through', async t => {
    if (!redis) return t.skip(`no Redis answers at ${REDIS}`)
    const [one, other] = [new GeneralLimits(clock, log, REDIS), new GeneralLimits(clock, log, REDIS)]
    const key = randomUUID()
    const taken = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).take(key, 50, 60)),
    )
    assert.equal(taken.filter(each => each.allowed).length, 50)
    await Promise.all([one.close(), other.close()])
  })

  test('with Redis a window ends as well', async t => {
    if (!redis) return t.skip(`no Redis answers at ${REDIS}`)
    const limits = new GeneralLimits(clock, log, REDIS)
    const key = randomUUID()
    const allowed = async () => (await limits.take(key, 1, 0.2)).allowed
    try {
      assert.deepEqual([await allowed(), await allowed()], [true, false])
      await sleep(300)
      assert.equal(await allowed(), true)
    } finally {
      await limits.close()
    }
  })

  test('when Redis is away this process counts alone', async () => {
    const limits = new GeneralLimits(clock, log, 'redis://127.0.0.1:1')
    assert.equal((await limits.take('ip', 1, 60)).allowed, true)
    assert.equal((await limits.take('ip', 1, 60)).allowed, false)
    await limits.close()
  })

  test('a Redis that does not answer delays one request and not all', async () => {
    const silent = createServer()
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const address = silent.address()
    assert.ok(address !== null && typeof address === 'object')
    const limits = new GeneralLimits(clock, log, `redis://127.0.0.1:${address.port}`)
    try {
      await limits.take('ip', 100, 60)
      const begun = performance.now()
      for (let call = 0; call < 50; call++) await limits.take('ip', 100, 60)
      const waited = performance.now() - begun
      assert.ok(waited < 1500, `50 calls took ${waited} ms; each question to Redis takes 500`)
      assert.equal((await limits.take('ip', 100, 60, 0)).remaining, 49)
    } finally {
      await limits.close()
      silent.close()
    }
  })
})
