import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { registerHuman, startTestService, useProductionHashing, type Person, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

const FLOOD = 24
/** Of answers for which a password was hashed. */
const HASHED = [200, 201, 401]

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

  /**
   * Signs the victim in while the flood is under way. Returns how many requests of the flood were hashed in all, and before
   * the victim's answer: the order of the answers does not depend on the speed of the machine.
   */
  async function during(flood: readonly Promise<{ status: number }>[]) {
    const hashed: number[] = []
    const answers = flood.map(async answer => {
      const { status } = await answer
      assert.ok([...HASHED, 429, 503].includes(status), `${status}`)
      if (HASHED.includes(status)) hashed.push(status)
    })
    const { status } = await login(victim.email, PASSWORD, '203.0.113.200')
    const before = hashed.length
    await Promise.all(answers)
    return { status, before, all: hashed.length }
  }

  function requireShare({ status, before, all }: Awaited<ReturnType<typeof during>>): void {
    assert.equal(status, 200)
    assert.ok(all >= FLOOD / 2, `only ${all} of the flood were hashed`)
    assert.ok(before < all / 2, `${before} of ${all} were first`)
  }
  const flooding = (send: () => Promise<{ status: number }>) => Array.from({ length: FLOOD }, send)

  test('for one account from one address delays another account by a part of the flood', async () => {
    const { email } = await registerHuman(service)
    requireShare(await during(flooding(() => login(email, PASSWORD, '203.0.113.200'))))
  })

  test('for many accounts from one address delays another address by a part of the flood', async () => {
    const wrong = () => login(`${newId()}@example.com`, 'wrong password', '203.0.113.1')
    requireShare(await during(flooding(wrong)))
  })

  test('of registrations from one address delays it as little', async () => {
    const register = () =>
      service.http('POST', '/auth/register', {
        body: { email: `${newId()}@example.com`, displayName: 'Flood', password: PASSWORD },
        headers: { 'x-forwarded-for': '203.0.113.2' },
      })
    requireShare(await during(flooding(register)))
  })
})
