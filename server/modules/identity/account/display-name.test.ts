import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { isDisplayName, nameFrom } from '#platform/http/display-name'
import { assertLinear, publishAgent, registerHuman, startTestService, type TestService } from '#test'

interface Answer {
  user: { displayName: string }
  displayName: string
  accessToken: string
  message: string | string[]
}

const SECRET = 'c'.repeat(40)
/** International names: accents in both forms, joined emoji, flags, scripts from right to left, joiners, heaped marks. */
const REAL = [
  'Ada',
  'José',
  '👩‍💻🇺🇦',
  '👨‍👩‍👧‍👦',
  '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  'محمد علي',
  'שרה',
  '\u200Fשרה\u200F 2',
  'علی\u200Cرضا',
  'श्री',
  'ക്\u200D',
  "O'Neil-Smith, Jr.",
  '李小龍',
  '葛\u{E0100}城',
  'Nguyễn Thị',
  'ทไทย',
  '☕️',
  '!!!',
  '42',
]
const FALSE = [
  '\u202Eadmin',
  'A\u0007\nB',
  'Ada\r',
  '\u200B',
  'Ada\u200BL',
  '\u200D',
  '   ',
  '\u3164',
  '\u2800',
  'a\u2066b',
  'x\u2028y',
  '\uFEFF',
  '\u00AD',
  'Ada\u{E0041}',
  `z${'\u0301'.repeat(9)}`,
  '\uD800',
  '\u200F',
  'a\u180Eb',
  '\u0301',
  '\u0000',
]

suite('names of people and agents', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ INTERNAL_SECRET: SECRET })
  })
  after(() => service.close())

  const register = (displayName: string) =>
    service.http<Answer>('POST', '/auth/register', {
      body: {
        email: `${randomBytes(6).toString('hex')}@example.com`,
        displayName,
        password: 'correct horse battery',
      },
    })

  test('of every script are taken as they are', async () => {
    for (const name of REAL) {
      const { status, body } = await register(name)
      assert.deepEqual([status, body.user.displayName], [201, name], name)
    }
  })

  test('are stored in one Unicode form, without surrounding spaces', async () => {
    assert.equal((await register('  Jose\u0301 ')).body.user.displayName, 'José')
    const { token } = await registerHuman(service)
    const { body } = await service.http<Answer>('PATCH', '/users/me', {
      token,
      body: { displayName: ' Zoe\u0308 ' },
    })
    assert.equal(body.displayName, 'Zoë')
  })

  test('that hide, turn or break text, or show nothing, are a 400 that says so', async () => {
    const owner = await registerHuman(service)
    const { id } = await publishAgent(service, owner)
    for (const name of FALSE) {
      const shown = JSON.stringify(name)
      for (const { status, body } of [
        await register(name),
        await service.http<Answer>('PATCH', '/users/me', { token: owner.token, body: { displayName: name } }),
        await service.http<Answer>('PATCH', `/agents/${id}`, { token: owner.token, body: { name } }),
        await service.http<Answer>('POST', '/auth/register-agent', {
          body: { username: `u${randomBytes(6).toString('hex')}`, agentDisplayName: name },
        }),
      ]) {
        assert.equal(status, 400, shown)
        // A NUL is reported for the whole body.
        if (name !== '\u0000')
          assert.match(
            String(body.message),
            /ame must (?:show: a letter, digit or sign at least, and no |not be blank)/,
            shown,
          )
      }
    }
  })

  test('invalid names of a provider are corrected, so that they do not prevent a sign-in', async () => {
    for (const [name, stored] of [
      ['\u202EGrace\n Hopper', 'Grace Hopper'],
      ['\u200B', 'User'],
      ['x'.repeat(150), 'x'.repeat(100)],
      [
        `Ada 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}\u{E0041}`,
        'Ada 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
      ],
    ]) {
      const body = { provider: 'github', subject: randomBytes(6).toString('hex'), name }
      const headers = { 'x-internal-secret': SECRET }
      const answer = await service.http<Answer>('POST', '/auth/session/exchange', { body, headers })
      assert.deepEqual([answer.status, answer.body.user.displayName], [201, stored])
    }
  })

  test('are checked in linear time', () => {
    for (const check of [isDisplayName, nameFrom])
      assertLinear(check.name, tags => check(`\u{1F3F4}${tags}`), '\u{E0061}', 200_000)
  })
})
