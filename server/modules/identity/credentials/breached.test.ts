import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIVE_PROCESSOR, registerHuman, sharedService, startTestService, type TestService } from '#test'

interface Body {
  warnings?: string[]
  message: string[]
}

/** Not guessed first, but leaked. Its SHA-1 is the next two together. */
const LEAKED = 'zebra-lamp-orbit-77'
const [PREFIX, REST] = ['608AB', '88DC638B3BC7589A2F2D89CBEFB7CF5FADF']
const GOOD = 'correct horse battery staple'

suite('passwords that are known to be leaked', () => {
  let list: Server
  let production: TestService
  let trial: TestService
  let asked: { path: string; padding: string | undefined }[] = []
  let answer: { status: number; text: string }

  before(async () => {
    list = createServer((request, response) => {
      asked.push({ path: request.url ?? '', padding: request.headers['add-padding']?.toString() })
      response.writeHead(answer.status).end(answer.text)
    }).listen(0, '127.0.0.1')
    await once(list, 'listening')
    const { port } = list.address() as AddressInfo
    const settings = { BREACHED_PASSWORDS_URL: `http://127.0.0.1:${port}/range/`, LOG_LEVEL: 'silent' }
    production = await startTestService({
      ...settings,
      SVC_MODE: 'production',
      PUBLIC_URL: 'https://svc.example.com',
      ...LIVE_PROCESSOR,
      SMTP_URL: 'smtp://127.0.0.1:9',
      VERIFIER_ALLOW_PRIVATE: '',
    })
    trial = await startTestService(settings)
  })
  beforeEach(() => {
    asked = []
    answer = { status: 200, text: `${'0'.repeat(35)}:12\r\n${REST}:3\r\n${'F'.repeat(35)}:1` }
  })
  after(async () => {
    await production.close()
    await trial.close()
    list.close()
  })

  let count = 0
  const register = (service: TestService, password: string) =>
    service.http<Body>('POST', '/auth/register', {
      body: { email: `b${++count}@example.com`, displayName: 'Ada', password },
    })

  test('are refused in production mode; only five digits of the hash are sent', async () => {
    const { status, body } = await register(production, LEAKED)
    assert.equal(status, 400)
    assert.deepEqual(body.message, ['password: it is in a list of leaked passwords, choose another'])
    assert.deepEqual(asked, [{ path: `/range/${PREFIX}`, padding: 'true' }])
    assert.equal((await register(production, GOOD)).status, 201)
    assert.equal(asked.length, 2)
  })

  test('are taken with a warning in sandbox mode', async () => {
    const { status, body } = await register(trial, LEAKED)
    assert.equal(status, 201)
    assert.match(body.warnings?.[0] ?? '', /leaked passwords, choose another \(refused in production mode\)$/)
  })

  test('also where a password changes', async () => {
    const person = await registerHuman(trial)
    const { status, body } = await trial.http<Body>('POST', '/auth/change-password', {
      token: person.token,
      body: { currentPassword: GOOD, newPassword: LEAKED },
    })
    assert.equal(status, 200)
    assert.match(body.warnings?.[0] ?? '', /^newPassword: it is in a list of leaked passwords/)
  })

  test('padding of the list and the rest of another password are no match', async () => {
    answer.text = `${REST}:0\n${REST.slice(1)}:5`
    assert.equal((await register(production, LEAKED)).status, 201)
  })

  test('a list that fails keeps nobody from a new password', async () => {
    answer = { status: 503, text: '' }
    assert.equal((await register(production, LEAKED)).status, 201)
    assert.equal(asked.length, 1)
  })

  test('without the setting nothing is sent', async () => {
    const service = await sharedService()
    assert.equal((await register(service, LEAKED)).body.warnings, undefined)
    assert.equal(asked.length, 0)
    await service.close()
  })
})
