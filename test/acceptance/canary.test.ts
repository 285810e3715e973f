import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { generate } from 'otplib'
import pg from 'pg'
import {
  assertNoSecretIn,
  call,
  createTestDatabase,
  dumpOf,
  freePort,
  rememberSecret,
  secretsSeen,
  startServerProcess,
  type CallOptions,
  type ServerProcess,
  type TestDatabase,
} from '#test'
import { searchFor } from '../support/database/search.ts'

const PASSWORD = 'canary-password-Zx81'
const NEW_PASSWORD = 'canary-password-Qy92'
const INTERNAL_SECRET = 'canary-internal-secret-'.repeat(2)

/**
 * No issued password, key, token, code or link is found in the database, the logs or the metrics. Every test service
 * and test database of the run stands under the same canary when it ends (test/support); here one server at the log
 * level `debug` gives out every kind of secret that there is.
 */
suite('the secret canary', () => {
  let database: TestDatabase
  let server: ServerProcess
  let dataDir: string

  before(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'svc-canary-'))
    server = await startServerProcess({
      PORT: String(await freePort()),
      DATABASE_URL: database.url,
      SVC_DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
      INTERNAL_SECRET,
    })
  })
  after(async () => {
    await server.end('SIGTERM')
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** One call that must succeed. */
  async function http<Body>(method: string, path: string, options: CallOptions = {}): Promise<Body> {
    const { status, text, body } = await call<Body>(server.baseUrl + path, method, options)
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`)
    return body
  }

  /** The one-time token of the last mail to an address. */
  async function mailed(email: string, page: string): Promise<string> {
    for (
      const deadline = Date.now() + 30_000;
      Date.now() < deadline;
      await new Promise(resolve => setTimeout(resolve, 100))
    ) {
      const { items } = await http<{ items: { text: string }[] }>(
        'GET',
        `/sandbox/mail?to=${encodeURIComponent(email)}`,
      )
      const token = items.map(item => new RegExp(`/${page}/([\\w-]+)`).exec(item.text)?.[1]).find(Boolean)
      if (token) return token
    }
    return assert.fail(`no ${page} mail came to ${email}`)
  }

  async function person(email: string): Promise<string> {
    const registered = await http<{ accessToken: string; refreshToken: string }>('POST', '/auth/register', {
      body: { email, displayName: 'Canary', password: PASSWORD },
    })
    await http('POST', '/auth/verify-email', {
      body: { token: await mailed(email, 'verify') },
      token: registered.accessToken,
    })
    await http('POST', '/auth/refresh', { body: { refreshToken: registered.refreshToken } })
    await http('POST', '/auth/magic-link/request', { body: { email } })
    await http('POST', '/auth/magic-link/consume', { body: { token: await mailed(email, 'login') } })
    await http('POST', '/auth/forgot-password', { body: { email } })
    await http('POST', '/auth/reset-password', {
      body: { token: await mailed(email, 'reset'), newPassword: NEW_PASSWORD },
    })
    return (
      await http<{ accessToken: string }>('POST', '/auth/login', { body: { email, password: NEW_PASSWORD } })
    ).accessToken
  }

  async function keys(token: string): Promise<string> {
    const { id, apiKey } = await http<{ id: string; apiKey: string }>('POST', '/api/v1/keys', {
      token,
      body: { name: 'canary' },
    })
    await http('POST', `/api/v1/service-accounts/${id}/rotate`, { token })
    await call(`${server.baseUrl}/agents/my-agents`, 'GET', { headers: { 'x-api-key': apiKey } })
    const agent = await http<{ id: string; apiKey: string }>('POST', '/agents', {
      token,
      body: { name: 'Canary agent' },
    })
    await http('POST', `/agents/${agent.id}/rotate-key`, { headers: { 'x-agent-api-key': agent.apiKey } })
    await http('POST', '/auth/register-agent', { body: { username: 'canary_agent', walletType: 'managed' } })
    await http('POST', '/api/v1/service-accounts/agents/self-register', {
      body: { username: 'canary_service' },
    })
    return apiKey
  }

  /** Announced by one account, claimed by a person of another. */
  async function claim(): Promise<void> {
    const agent = await http<{ accessToken: string }>('POST', '/auth/register-agent', {
      body: { username: 'canary_creator', walletType: 'managed' },
    })
    const { claim_url: url } = await http<{ claim_url: string }>('POST', '/agents/announce', {
      token: agent.accessToken,
      body: { name: 'Announced canary' },
    })
    await call(url, 'GET')
    const claimer = await http<{ accessToken: string }>('POST', '/auth/register', {
      body: { email: 'canary-claimer@example.com', displayName: 'Claimer', password: PASSWORD },
    })
    await http('POST', `/agents/claim/${url.split('/').at(-1) ?? ''}`, { token: claimer.accessToken })
  }

  async function secondFactor(token: string, email: string): Promise<void> {
    const { manualEntryKey } = await http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    await http('POST', '/mfa/enable', { token, body: { token: await generate({ secret: manualEntryKey }) } })
    const { mfaToken } = await http<{ mfaToken: string }>('POST', '/auth/login', {
      body: { email, password: NEW_PASSWORD },
    })
    await http('POST', '/auth/login/mfa', {
      body: { mfaToken, totpCode: await generate({ secret: manualEntryKey }) },
    })
  }

  async function exercise(): Promise<void> {
    const setUp = /\/setup\/([\w-]+)/.exec(server.output())?.[1] ?? assert.fail('no set-up link was printed')
    rememberSecret(setUp, 'the set-up link')
    await http('POST', '/auth/setup', {
      body: { token: setUp, email: 'canary-admin@example.com', password: PASSWORD, displayName: 'Admin' },
    })
    const email = 'canary-person@example.com'
    const token = await person(email)
    const apiKey = await keys(token)
    await claim()
    await http('POST', '/auth/session/exchange', {
      body: { provider: 'github', subject: 'canary-subject' },
      headers: { 'x-internal-secret': INTERNAL_SECRET },
    })
    await secondFactor(token, email)
    // Secrets where they do not belong: in an address and in bad bodies.
    await call(`${server.baseUrl}/reset/${encodeURIComponent(NEW_PASSWORD)}?token=${apiKey}`, 'GET')
    await call(`${server.baseUrl}/auth/login`, 'POST', {
      body: `{"email":"${email}","password":"${NEW_PASSWORD}"`,
      headers: { 'content-type': 'application/json' },
    })
  }

  test('finds nothing in any table, in the log or in the metrics', { timeout: 120_000 }, async () => {
    await exercise()
    assert.ok(secretsSeen() >= 45, `only ${secretsSeen()} secrets were issued`)
    const tables = await dumpOf(database.url)
    assert.match(
      tables.get('public.identity_account') ?? '',
      /canary-person@example\.com/,
      'the dump sees data',
    )
    const log = server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{'))
    assert.ok(log.length > 30, 'the log has a line for each request')
    assertNoSecretIn([
      ...tables,
      ['the log', log.join('\n')],
      ['the metrics', (await call(`${server.baseUrl}/metrics`, 'GET')).text],
    ])
  })

  test('would find a secret in a column of any type, in a log line and in an address', async () => {
    const planted = `sk_${'q'.repeat(36)}`
    rememberSecret(planted, 'a planted key')
    const own = await createTestDatabase({ empty: true })
    const client = new pg.Client({ connectionString: own.url })
    await client.connect()
    await client.query(
      'create schema elsewhere; create table elsewhere.a (b bytea); create table c (d jsonb); create table e (f text[])',
    )
    await client.query(
      `insert into elsewhere.a values ('${planted}'::bytea); insert into c values ('{"x": "${planted}"}'); insert into e values (array['${planted}'])`,
    )
    await client.end()
    await assert.rejects(
      own.drop(),
      /a planted key in elsewhere\.a\na planted key in public\.c\na planted key in public\.e/,
    )
    assert.throws(
      () => assertNoSecretIn([['the log', `{"url":"/claim/${planted}"}`]]),
      /a planted key in the log/,
    )
  })

  test('finds all of many secrets that a text contains, and no other', () => {
    const planted = Array.from({ length: 500 }, () => randomBytes(8).toString('hex'))
    const absent = Array.from({ length: 500 }, () => randomBytes(8).toString('hex'))
    const text = `${planted[0]}${planted.slice(1, -1).join(' 一')}${planted.at(-1)}`
    assert.deepEqual(
      searchFor([...planted, ...absent, text.slice(-10)])(text),
      new Set([...planted, text.slice(-10)]),
    )
    assert.deepEqual(searchFor(planted)('short'), new Set())
  })
})
