import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { generate } from 'otplib'
import pg from 'pg'
import { call, createTestDatabase, freePort, startServerProcess, type CallOptions, type ServerProcess, type TestDatabase } from '#test'

const PASSWORD = 'canary-password-Zx81'
const NEW_PASSWORD = 'canary-password-Qy92'
const ADMIN = { email: 'canary-admin@example.com', password: 'canary-admin-password-Wv73' }

/** Field names of answers that hold a secret. */
const SECRET_FIELDS = new Set(['accessToken', 'refreshToken', 'apiKey', 'api_key', 'agentApiKey', 'newApiKey', 'mfaToken', 'manualEntryKey', 'backupCodes', 'token', 'code'])

/** No issued password, key, token, code or link is found in the database, the logs or the metrics. */
suite('the secret canary', () => {
  let database: TestDatabase
  let server: ServerProcess
  let dataDir: string
  const secrets = new Map<string, string>()

  before(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'svc-canary-'))
    server = await startServerProcess({ PORT: String(await freePort()), DATABASE_URL: database.url, SVC_DATA_DIR: dataDir, LOG_LEVEL: 'debug', ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password })
    for (const password of [PASSWORD, NEW_PASSWORD, ADMIN.password]) secrets.set(password, 'password')
  })
  after(async () => {
    await server.end('SIGTERM')
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** One call; whatever secret its answer holds is remembered. */
  async function http<Body>(method: string, path: string, options: CallOptions = {}): Promise<Body> {
    const { status, text, body } = await call<Body>(server.baseUrl + path, method, options)
    assert.ok(status < 300, `${method} ${path}: ${status} ${text}`)
    remember(body, path)
    return body
  }

  function remember(value: unknown, where: string): void {
    if (typeof value !== 'object' || value === null) return
    for (const [name, field] of Object.entries(value)) {
      if (SECRET_FIELDS.has(name)) for (const each of [field].flat()) if (typeof each === 'string' && each.length >= 8) secrets.set(each, `${name} of ${where}`)
      if (name === 'claim_url' && typeof field === 'string') secrets.set(field.split('/').at(-1) ?? '', `claim link of ${where}`)
      remember(field, where)
    }
  }

  /** The one-time token of the last mail to an address. */
  async function mailed(email: string, page: string): Promise<string> {
    for (const deadline = Date.now() + 15_000; Date.now() < deadline; await new Promise(resolve => setTimeout(resolve, 100))) {
      const { items } = await http<{ items: { text: string }[] }>('GET', `/sandbox/mail?to=${encodeURIComponent(email)}`)
      const token = items.map(item => new RegExp(`/${page}/([\\w-]+)`).exec(item.text)?.[1]).find(Boolean)
      if (!token) continue
      secrets.set(token, `${page} link`)
      return token
    }
    return assert.fail(`no ${page} mail came to ${email}`)
  }

  async function exercise(): Promise<void> {
    const email = 'canary-person@example.com'
    const person = await http<{ user: { id: string }; accessToken: string; refreshToken: string }>('POST', '/auth/register', { body: { email, displayName: 'Canary', password: PASSWORD } })
    await http('POST', '/auth/verify-email', { body: { token: await mailed(email, 'verify') }, token: person.accessToken })
    await http('POST', '/auth/refresh', { body: { refreshToken: person.refreshToken } })
    await http('POST', '/auth/magic-link/request', { body: { email } })
    await http('POST', '/auth/magic-link/consume', { body: { token: await mailed(email, 'login') } })
    await http('POST', '/auth/forgot-password', { body: { email } })
    await http('POST', '/auth/reset-password', { body: { token: await mailed(email, 'reset'), newPassword: NEW_PASSWORD } })
    const { accessToken: token } = await http<{ accessToken: string }>('POST', '/auth/login', { body: { email, password: NEW_PASSWORD } })
    const { apiKey } = await http<{ apiKey: string }>('POST', '/api/v1/keys', { token, body: { name: 'canary' } })
    await call(`${server.baseUrl}/agents/my-agents`, 'GET', { headers: { 'x-api-key': apiKey } })
    const agent = await http<{ id: string; apiKey: string }>('POST', '/agents', { token, body: { name: 'Canary agent' } })
    await http('POST', `/agents/${agent.id}/rotate-key`, { headers: { 'x-agent-api-key': agent.apiKey } })
    const announced = await http<{ claim_url: string }>('POST', '/agents/announce', { token, body: { name: 'Announced canary' } })
    await call(announced.claim_url, 'GET')
    await http('POST', '/auth/register-agent', { body: { username: 'canary_agent', walletType: 'managed' } })
    const { manualEntryKey } = await http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    const totp = await generate({ secret: manualEntryKey })
    await http('POST', '/mfa/enable', { token, body: { token: totp } })
    const { mfaToken } = await http<{ mfaToken: string }>('POST', '/auth/login', { body: { email, password: NEW_PASSWORD } })
    await http('POST', '/auth/login/mfa', { body: { mfaToken, totpCode: await generate({ secret: manualEntryKey }) } })
    await http('POST', '/auth/login', { body: ADMIN })
    // Secrets where they do not belong: in an address and in bad bodies.
    await call(`${server.baseUrl}/reset/${encodeURIComponent(NEW_PASSWORD)}?token=${apiKey}`, 'GET')
    await call(`${server.baseUrl}/auth/login`, 'POST', { body: `{"email":"${email}","password":"${NEW_PASSWORD}"`, headers: { 'content-type': 'application/json' } })
  }

  async function dump(): Promise<{ table: string; text: string }[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ name: string }>(`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`)
    const tables: { table: string; text: string }[] = []
    for (const { name } of rows) tables.push({ table: name, text: (await client.query<{ row: string }>(`select t::text as row from ${name} t`)).rows.map(({ row }) => row).join('\n') })
    await client.end()
    return tables
  }

  test('finds nothing in any table, in the logs or in the metrics', { timeout: 120_000 }, async () => {
    await exercise()
    assert.ok(secrets.size >= 25, `only ${secrets.size} secrets were issued`)
    const tables = await dump()
    assert.ok(tables.some(({ table, text }) => table === 'public.identity_account' && text.includes('canary-person@example.com')), 'the dump sees data')
    const metrics = (await call(`${server.baseUrl}/metrics`, 'GET')).text
    const found: string[] = []
    for (const [secret, what] of secrets) {
      for (const { table, text } of tables) if (text.includes(secret)) found.push(`${what} in ${table}`)
      if (server.output().includes(secret)) found.push(`${what} in the log`)
      if (metrics.includes(secret)) found.push(`${what} in the metrics`)
    }
    assert.deepEqual(found, [])
  })
})
