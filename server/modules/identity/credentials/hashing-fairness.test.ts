import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { registerHuman, startTestService, useProductionHashing, type Person, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

/** The time bound of the requirement, with the whole machine's work in it. */
const MOST_MS = 2000

suite('a flood of sign-ins', () => {
  useProductionHashing()
  let service: TestService
  let victim: Person
  before(async () => {
    service = await startTestService({ TRUSTED_PROXIES: 'loopback', LOG_LEVEL: 'silent' })
    victim = await registerHuman(service)
  })
  after(() => service.close())

  const login = (email: string, password: string, ip: string) =>
    service.http('POST', '/auth/login', { body: { email, password }, headers: { 'x-forwarded-for': ip } })

  /** How long the victim's sign-in takes while the flood is under way. */
  async function during(
    flood: Promise<{ status: number }>[],
  ): Promise<{ ms: number; status: number; floodMs: number }> {
    const started = performance.now()
    const { status } = await login(victim.email, PASSWORD, '203.0.113.200')
    const ms = performance.now() - started
    const statuses = (await Promise.all(flood)).map(each => each.status)
    assert.deepEqual(
      [...new Set(statuses)].filter(each => ![200, 201, 401, 429, 503].includes(each)),
      [],
    )
    return { ms, status, floodMs: performance.now() - started }
  }

  test('for one account from one address delays another account by a part of the flood', async () => {
    const { email } = await registerHuman(service)
    const { ms, status, floodMs } = await during(
      Array.from({ length: 60 }, () => login(email, PASSWORD, '203.0.113.200')),
    )
    assert.equal(status, 200)
    assert.ok(ms < MOST_MS && ms < floodMs / 2, `${Math.round(ms)} ms of ${Math.round(floodMs)} ms`)
  })

  test('for many accounts from one address delays another address by a part of the flood', async () => {
    const { ms, status, floodMs } = await during(
      Array.from({ length: 60 }, () => login(`${newId()}@example.com`, 'wrong password', '203.0.113.1')),
    )
    assert.equal(status, 200)
    assert.ok(ms < MOST_MS && ms < floodMs / 2, `${Math.round(ms)} ms of ${Math.round(floodMs)} ms`)
  })

  test('of registrations from one address delays it as little', async () => {
    const register = () =>
      service.http('POST', '/auth/register', {
        body: { email: `${newId()}@example.com`, displayName: 'Flood', password: PASSWORD },
        headers: { 'x-forwarded-for': '203.0.113.2' },
      })
    const { ms, status, floodMs } = await during(Array.from({ length: 40 }, register))
    assert.equal(status, 200)
    assert.ok(ms < MOST_MS && ms < floodMs / 2, `${Math.round(ms)} ms of ${Math.round(floodMs)} ms`)
  })
})
