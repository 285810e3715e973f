import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { request } from 'undici'
import { checkLedger } from '#ledger'
import { readConfig } from '#platform/kernel/config'
import { createLog } from '#platform/adapters/log/log'
import type { LedgerMonitor } from '#app'
import type { Services } from '#platform/kernel/services'
import { assertNoSecretIn, rememberCall, rememberSecret, SECRET_SETTING } from '../database/canary.ts'
import { createTestDatabase } from '../database/database.ts'
import { CHROMIUM_CACHE } from '../browser/browser.ts'
import { openOthers, pooled } from './others.ts'
import { freePort } from './port.ts'

/** An answer of the service; `body` is parsed JSON where it is JSON. */
export interface Answer<Body = Record<string, never>> {
  status: number
  headers: Headers
  text: string
  body: Body
}

export interface CallOptions {
  body?: unknown
  /** Bearer credential: access token, sk_ or rk_ key. */
  token?: string
  headers?: Record<string, string>
}

/** A service that runs in this process. */
export interface Instance {
  baseUrl: string
  services: Services
  monitor: LedgerMonitor
  /** Every line of its log so far. */
  logged: readonly string[]
  /** One request over real HTTP; a body goes as JSON. The caller names the shape that it expects back. */
  http<Body = Record<string, never>>(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Answer<Body>>
  close(): Promise<void>
}

export interface TestService extends Instance {
  databaseUrl: string
  /** The same database for the superuser of the server. */
  superuserUrl: string
  /** Access token of an admin that exists from the start. */
  adminToken(): Promise<string>
  /** Another instance of this service, over the same database or the same through another `url`. */
  instance(env?: Record<string, string>, url?: string): Promise<Instance>
  /** Moves the sandbox clock ahead; returns when everything that fell due has run. */
  advance(seconds: number): Promise<void>
}

/** Production requires a real processor; this one is not there. */
export const LIVE_PROCESSOR = {
  PROCESSOR: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef0123456789abcdef',
  STRIPE_API_URL: 'http://127.0.0.1:9',
}
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** A whole service on a free port over a database of its own. `env` overrides its environment. */
export async function startTestService(env: Record<string, string> = {}): Promise<TestService> {
  const database = await createTestDatabase()
  const dataDir = await testDataDir()
  const through = pooled(database.url)
  const instance = (more: Record<string, string> = {}, url = through.url) =>
    openInstance({ SVC_DATA_DIR: dataDir, ...through.env, ...env, ...more }, url)
  const others = await openOthers(env)
  const own = await instance(others?.env)
  const baseUrl = others
    ? await others.start(own.baseUrl, {
        ...settingsOf({ SVC_DATA_DIR: dataDir, ...through.env, ...env, ...others.env }),
        DATABASE_URL: through.url,
      })
    : own.baseUrl
  const main: Instance = {
    ...own,
    baseUrl,
    http: (method, path, options = {}) => call(baseUrl + path, method, options),
  }
  const adminToken = async () => {
    const { status, text, body } = await main.http<{ accessToken: string }>('POST', '/auth/login', {
      body: ADMIN,
    })
    if (status !== 200) throw new Error(`the admin cannot log in: ${status} ${text}`)
    return body.accessToken
  }
  const advance = async (seconds: number) => {
    const { status, text } = await main.http('POST', '/sandbox/clock/advance', {
      body: { seconds },
      token: await adminToken(),
    })
    if (status >= 300) throw new Error(`the clock did not advance: ${status} ${text}`)
    await others?.followClock()
  }
  const close = async () => {
    const { loadLedgerChecks } = await import('#app')
    // A check that fails must not keep the service, and with it the test process, alive.
    const findings = await checkLedger(main.services.db, await loadLedgerChecks(), { full: true }).then(
      report => report.findings,
      (error: Error) => [error.message],
    )
    await others?.close()
    await main.close()
    await rm(dataDir, { recursive: true, force: true })
    await database.drop()
    // Whatever a test did, the books balance at its end.
    if (findings.length) throw new Error(`the ledger check fails:\n${findings.join('\n')}`)
  }
  return {
    ...main,
    databaseUrl: database.url,
    superuserUrl: database.superuserUrl,
    instance,
    adminToken,
    advance,
    close,
  }
}

/** The settings of a service for tests. */
const settingsOf = (env: Record<string, string>): Record<string, string> => ({
  HOST: '127.0.0.1',
  LOG_LEVEL: 'error',
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
  VERIFIER_ALLOW_PRIVATE: '127.0.0.1:*',
  // Its event loop is that of the tests.
  OVERLOAD_LATE_MS: '0',
  ...(env.SVC_MODE === 'production' ? LIVE_PROCESSOR : {}),
  ...env,
})

async function openInstance(env: Record<string, string>, databaseUrl: string): Promise<Instance> {
  // Imported here, so that tests below the HTTP surface do not load the whole service.
  const { startService } = await import('#app')
  const config = readConfig({ PORT: String(await freePort()), ...settingsOf(env) })
  const logged: string[] = []
  const { services, monitor, stop } = await startService(
    config,
    databaseUrl,
    createLog('debug', logTo(logged, config.LOG_LEVEL)),
  )
  for (const [name, value] of Object.entries(env)) if (SECRET_SETTING.test(name)) rememberSecret(value, name)
  const baseUrl = `http://127.0.0.1:${config.PORT}`
  const http = <Body>(method: string, path: string, options: CallOptions = {}) =>
    call<Body>(baseUrl + path, method, options)
  const close = async () => {
    const metrics = await call(`${baseUrl}/metrics`, 'GET')
    await stop()
    assertNoSecretIn([
      ['the log', logged.join('')],
      ['the metrics', metrics.text],
    ])
  }
  return { baseUrl, services, monitor, logged, http, close }
}

/** Keeps every line; what a person would see at the level that the test asked for goes to the terminal too. */
const logTo = (lines: string[], shown: string): { write(line: string): void } => ({
  write(line) {
    lines.push(line)
    // The level comes first: to parse each line takes as long as to write it.
    const [, level = ''] = /"level":"(\w+)"/.exec(line) ?? []
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(shown)) process.stdout.write(line)
  },
})

/** A data folder of its own that shares the unpacked browser with all tests. */
async function testDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-test-'))
  await mkdir(CHROMIUM_CACHE, { recursive: true })
  await symlink(CHROMIUM_CACHE, join(dataDir, 'chromium'))
  return dataDir
}

/** As `fetch` sends them. */
const SENT_HEADERS = { accept: '*/*', 'user-agent': 'node' }

/** One request; never follows a redirect, so that tests see it. `fetch` takes three times the processor time, and tests send many. */
export async function call<Body>(
  url: string,
  method: string,
  { body, token, headers = {} }: CallOptions = {},
): Promise<Answer<Body>> {
  const answer = await request(url, {
    method,
    headers: {
      ...SENT_HEADERS,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const status = answer.statusCode
  const answered = headersOf(answer.headers)
  const text = await answer.body.text()
  const isJson = answered.get('content-type')?.includes('json') && text !== ''
  const parsed = isJson ? (JSON.parse(text) as unknown) : undefined
  rememberCall(`${method} ${new URL(url).pathname}`, {
    sent: body,
    ok: status >= 200 && status < 300,
    answered: parsed,
    text,
    headers: answered,
  })
  return { status, headers: answered, text, body: parsed as Body }
}

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(received))
    for (const each of [value ?? []].flat()) headers.append(name, each)
  return headers
}
