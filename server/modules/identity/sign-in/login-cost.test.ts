import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { registerHuman, sharedService, statementsOf, useProductionHashing, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

suite('what a sign-in costs', () => {
  useProductionHashing()
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const login = (email: string, password: string) =>
    service.http('POST', '/auth/login', { body: { email, password } })
  const wrong = (email: string) => login(email, randomBytes(8).toString('hex'))

  test('an unknown email and a wrong password cost one hash and the same statements', async () => {
    const quickest = { known: Infinity, unknown: Infinity }
    for (let round = 0; round < 5; round++) {
      for (const [who, email] of [
        ['known', (await registerHuman(service)).email],
        ['unknown', `nobody-${round}@example.com`],
      ] as const) {
        const started = process.cpuUsage()
        await wrong(email)
        const { user, system } = process.cpuUsage(started)
        quickest[who] = Math.min(quickest[who], user + system)
      }
    }
    assert.ok(quickest.unknown > quickest.known / 2, JSON.stringify(quickest))
    const statements = (work: () => Promise<unknown>) =>
      statementsOf(service, /identity_(?!approval)|platform_limit/, work)
    const { email } = await registerHuman(service)
    assert.deepEqual(
      await statements(() => wrong('someone-unknown@example.com')),
      await statements(() => wrong(email)),
    )
  })

  test('a hash of older costs is replaced at the next sign-in', async () => {
    const { email, id } = await registerHuman(service)
    const salt = randomBytes(16)
    const hash = argon2Sync('argon2id', {
      message: PASSWORD,
      nonce: salt,
      parallelism: 1,
      tagLength: 32,
      memory: 8192,
      passes: 1,
    })
    const phc = `$argon2id$v=19$m=8192,t=1,p=1$${[salt, hash].map(bytes => bytes.toString('base64').replaceAll('=', '')).join('$')}`
    const { pool } = service.services.db
    await pool.query('update identity_account set password_hash = $1 where id = $2', [phc, id])
    assert.equal((await login(email, PASSWORD)).status, 200)
    const { rows } = await pool.query<{ password_hash: string }>(
      'select password_hash from identity_account where id = $1',
      [id],
    )
    assert.match(rows[0]?.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal((await login(email, PASSWORD)).status, 200)
  })

  test('other routes answer while a storm of logins waits', async () => {
    const person = await registerHuman(service)
    const storm = Promise.all(Array.from({ length: 60 }, (_, index) => wrong(`storm-${index}@example.com`)))
    let over = false
    void storm.then(() => {
      over = true
    })
    for (let call = 0; call < 10; call++)
      assert.equal((await service.http('GET', '/users/me', { token: person.token })).status, 200)
    assert.equal(over, false)
    await storm
  })
})
