import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { solveChallenge, type Challenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { startTestService, type TestService } from '#test'

const PATHS = ['/auth/register-agent', '/agents/register', '/api/v1/service-accounts/agents/self-register']
const username = () => `a${randomBytes(5).toString('hex')}`

suite('a solved challenge', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ AGENT_CHALLENGE: 'pow' })
  })
  after(() => service.close())

  async function solved(): Promise<string> {
    const { body: challenge } = await service.http<Challenge>('GET', '/auth/register-agent/challenge')
    const solution = await solveChallenge({ challenge, deriveKey })
    return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
  }
  const register = (path: string, name: string, more: object) =>
    service.http<{ message: string | string[]; hint?: string }>('POST', path, {
      body: { username: name, email: `${username()}@example.com`, ...more },
    })

  for (const path of PATHS) {
    test(`of ${path} stays valid until it has registered an account`, async () => {
      const challengeSolution = await solved()
      const taken = username()
      const first = await register(path, taken, { challengeSolution: await solved() })
      assert.ok(first.status < 300, first.text)
      const malformed = await register(path, 'x', { challengeSolution })
      assert.deepEqual([malformed.status, String(malformed.body.message).includes('username')], [400, true])
      assert.equal((await register(path, taken, { challengeSolution })).status, 409)
      const statuses = await Promise.all(
        Array.from(
          { length: 6 },
          async () => (await register(path, username(), { challengeSolution })).status < 300,
        ),
      )
      assert.equal(statuses.filter(Boolean).length, 1)
      const again = await register(path, username(), { challengeSolution })
      assert.deepEqual([again.status, String(again.body.hint).includes('already been used')], [400, true])
    })
  }

  test('what is malformed is said before a challenge is asked for', async () => {
    for (const more of [{ walletType: 'own' }, { walletType: 'own', walletAddress: '0x12' }]) {
      const { status, body } = await register('/auth/register-agent', username(), more)
      assert.deepEqual([status, String(body.message).startsWith('walletAddress')], [400, true])
    }
    const { status, body } = await register('/auth/register-agent', 'admin', {})
    assert.deepEqual([status, String(body.message)], [400, 'username admin is reserved'])
  })
})
