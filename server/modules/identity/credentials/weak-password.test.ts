import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { ConfigError, readConfig } from '#platform/kernel/config'
import { LIVE_PROCESSOR, registerHuman, sharedService, startTestService, type TestService } from '#test'

interface Body {
  accessToken: string
  warnings?: string[]
  message: string[]
}

const GOOD = 'correct horse battery staple'
const PRODUCTION = {
  SVC_MODE: 'production',
  PUBLIC_URL: 'https://svc.example.com',
  ...LIVE_PROCESSOR,
  SMTP_URL: 'smtp://127.0.0.1:9',
  VERIFIER_ALLOW_PRIVATE: '',
}

/** Of the first thousands of every published list, and what people make of them. */
const COMMON = [
  '12345678',
  '12345679',
  '123123123',
  '987654321',
  '1122334455',
  '147258369',
  '1q2w3e4r!',
  'qwertyuiop1',
  '1qaz2wsx3edc',
  'QWERTZUI',
  'azertyuiop',
  'asdfasdf',
  'zaq12wsx',
  'abcd1234',
  'a1b2c3d4',
  'aaaaaaaa',
  '        ',
  'abcabcabc',
  'password',
  'PassWord12345',
  'P@$$w0rd',
  'passw0rd!',
  'iloveyou!',
  'ashley123',
  'football123',
  'charlie123',
  'jessica1',
  'thomas123',
  'computer1',
  'welcome2',
  'liverpoo',
  'Butthead1',
  'trustno1',
  'testtest',
  'letmein!!',
  'dragonmonkey',
  'passwort1',
  'ｐａｓｓｗｏｒｄ',
]
const UNCOMMON = [
  GOOD,
  'xk29dmvq',
  'Tr0ub4dor&3',
  'blue42sky',
  'my dog eats 3 shoes',
  'пароль-на-русском',
  '12 emoji 🔑🔑',
  'michelle-X7qp',
]

suite('passwords that are guessed first', () => {
  let service: TestService
  let production: TestService
  before(async () => {
    service = await sharedService()
    production = await startTestService(PRODUCTION)
  })
  after(async () => {
    await service.close()
    await production.close()
  })

  let count = 0
  const register = (where: TestService, password: string, email = `w${++count}@example.com`) =>
    where.http<Body>('POST', '/auth/register', { body: { email, displayName: 'Ada Lovelace', password } })
  const refused = async (password: string, email?: string) => {
    const { status, body } = await register(production, password, email)
    assert.equal(status, 400, password)
    assert.match(body.message[0] ?? '', /^password: it is too easy to guess \(a common password/)
  }

  test('are refused in production mode, and nothing is made', async () => {
    for (const password of COMMON) await refused(password)
    const { rows } = await production.services.db.pool.query(
      "select 1 from identity_account where role <> 'ADMIN'",
    )
    assert.equal(rows.length, 0)
  })

  test('others are taken', async () => {
    for (const password of UNCOMMON) {
      const { status, body } = await register(production, password)
      assert.deepEqual([status, body.warnings], [201, undefined], password)
    }
  })

  test('are taken with a warning in sandbox mode', async () => {
    for (const password of ['12345679', 'ashley123', 'aaaaaaaa']) {
      const { status, body } = await register(service, password)
      assert.equal(status, 201)
      assert.match(body.warnings?.[0] ?? '', /^password: it is too easy .* \(refused in production mode\)$/)
    }
    assert.equal((await register(service, GOOD)).body.warnings, undefined)
  })

  test('nor may one be be derived from your address or name, in any case', async () => {
    const own = 'clever.otter77@wombats.example'
    for (const password of [
      own,
      own.toUpperCase(),
      'Clever.Otter77',
      'wombats.example',
      'lovelace1',
      'AdaLovelace',
      'Ada Lovelace!!',
    ])
      await refused(password, own)
    assert.equal((await register(production, 'clever.otter77')).status, 201)
  })

  test('also where a password changes: by its owner and for the first admin', async () => {
    const person = await registerHuman(service)
    for (const [newPassword, warned] of [
      [`${person.email.split('@')[0]}1`, true],
      ['Test Person 1', true],
      ['another fine secret', false],
    ] as const) {
      const currentPassword = GOOD
      const { body } = await service.http<Body>('POST', '/auth/change-password', {
        token: person.token,
        body: { currentPassword, newPassword },
      })
      assert.equal(body.warnings?.[0]?.startsWith('newPassword: ') ?? false, warned, newPassword)
      await service.services.db.pool.query(
        'update identity_account set password_hash = (select password_hash from identity_account where id = $2) where id = $1',
        [person.id, (await registerHuman(service)).id],
      )
    }
    const { status, body } = await production.http<Body>('POST', '/auth/setup', {
      body: { token: 'x', email: 'otter-lady@example.com', password: 'otter-lady1' },
    })
    assert.equal(status, 400)
    assert.match(body.message[0] ?? '', /^password: it is too easy/)
  })

  test('rejects a weak ADMIN_PASSWORD in production mode without printing it', () => {
    for (const ADMIN_PASSWORD of ['Football123', 'otter-lady1']) {
      const env = { ...PRODUCTION, ADMIN_EMAIL: 'otter-lady@example.com', ADMIN_PASSWORD }
      assert.throws(
        () => readConfig(env),
        (error: unknown) =>
          error instanceof ConfigError &&
          error.problems.some(problem => problem.startsWith('ADMIN_PASSWORD is too easy to guess')) &&
          !error.message.includes(ADMIN_PASSWORD),
      )
      assert.equal(
        readConfig({ ...env, SVC_MODE: 'sandbox', PROCESSOR: 'sandbox' }).ADMIN_PASSWORD,
        ADMIN_PASSWORD,
      )
    }
  })
})
