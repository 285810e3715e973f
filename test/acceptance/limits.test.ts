import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import {
  call,
  createTestDatabase,
  freePort,
  registerHuman,
  sharedService,
  startServerProcess,
  startTestService,
  type ServerProcess,
} from '#test'

const REDIS = process.env.SVC_TEST_REDIS ?? 'redis://127.0.0.1:6379'

test('general limits: n calls pass, n+1 is 429; probes and signed-in callers are separate', async () => {
  const service = await startTestService({ RATE_LIMIT_IP_PER_MIN: '8', RATE_LIMIT_USER_PER_MIN: '12' })
  try {
    const person = await registerHuman(service)
    const before = await service.http('GET', '/agents')
    const left = Number(/r=(\d+)/.exec(before.headers.get('RateLimit') ?? '')?.[1])
    assert.equal(before.headers.get('RateLimit-Policy'), '"ip";q=8;w=60')
    for (let call = 0; call < left; call++) assert.equal((await service.http('GET', '/agents')).status, 200)
    const refused = await service.http<{ message: string; error: string }>('GET', '/agents')
    assert.deepEqual([refused.status, refused.body.error], [429, 'Too Many Requests'])
    assert.match(refused.body.message, /^Rate limit exceeded/)
    assert.ok(Number(refused.headers.get('Retry-After')) >= 1)
    assert.equal((await service.http('GET', '/healthz')).status, 200)
    const own = await service.http('GET', '/agents', { token: person.token })
    assert.equal(own.status, 429, 'a token lifts no limit of a public operation')
    const signedIn = await service.http('GET', '/users/me', { token: person.token })
    assert.deepEqual([signedIn.status, signedIn.headers.get('RateLimit-Policy')], [200, '"user";q=12;w=60'])
  } finally {
    await service.close()
  }
})

test('in sandbox mode general limits are off unless they are set', async () => {
  const service = await sharedService()
  try {
    assert.equal((await service.http('GET', '/agents')).headers.get('RateLimit'), null)
  } finally {
    await service.close()
  }
})

/** The statuses of `calls` requests at once, half to each of two processes over one database. */
async function askTwoProcesses(path: string, calls: number): Promise<number[]> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-limits-'))
  const servers: ServerProcess[] = []
  try {
    for (const port of [await freePort(), await freePort()]) {
      servers.push(
        await startServerProcess({
          HOST: '127.0.0.1',
          PORT: String(port),
          DATABASE_URL: database.url,
          SVC_DATA_DIR: dataDir,
          TRUSTED_PROXIES: 'loopback',
        }),
      )
    }
    // Of the address that others reach: sandbox-hosts.test.ts.
    for (const server of servers)
      assert.doesNotMatch(server.output(), /WARNING/, 'a start on loopback prints no warning')
    return await askBoth(
      servers.map(({ baseUrl }) => baseUrl),
      path,
      calls,
    )
  } finally {
    for (const server of servers) await server.end('SIGTERM')
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The same with two instances of one process: they share nothing but the database and Redis either. */
async function askTwoInstances(env: Record<string, string>, path: string, calls: number): Promise<number[]> {
  const service = await startTestService({ TRUSTED_PROXIES: 'loopback', ...env })
  try {
    const other = await service.instance()
    try {
      return await askBoth([service.baseUrl, other.baseUrl], path, calls)
    } finally {
      await other.close()
    }
  } finally {
    await service.close()
  }
}

/** The statuses of `calls` requests at once, half to each of two addresses. */
async function askBoth(bases: readonly string[], path: string, calls: number): Promise<number[]> {
  // Each connects to Redis with its first request: beside all the others that could take too long, and it would count alone.
  for (const base of bases) await call(`${base}${path}`, 'GET', { headers: headersOfCaller() })
  const headers = headersOfCaller()
  return Promise.all(
    Array.from(
      { length: calls },
      async (_, index) => (await call(`${bases[index % 2]}${path}`, 'GET', { headers })).status,
    ),
  )
}

/** An address of its own: what another test counted in the same Redis is no matter. */
const headersOfCaller = () => ({
  'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
})

const passedOf = (statuses: readonly number[]): [passed: number, refused: number] => [
  statuses.filter(status => status === 200).length,
  statuses.filter(status => status === 429).length,
]

test('two processes let together exactly as many through as the limit of an operation says, in PostgreSQL alone', async () => {
  assert.deepEqual(passedOf(await askTwoProcesses('/auth/check-username?username=somebody', 60)), [20, 40])
})

test('with Redis two instances are exact in the general limits too', async t => {
  if (!(await redisAnswers())) return t.skip(`no Redis answers at ${REDIS}`)
  // A permit comes back after 6 seconds: later than the end of these requests on a slow machine.
  const limit = 10
  const statuses = await askTwoInstances(
    { REDIS_URL: REDIS, RATE_LIMIT_IP_PER_MIN: String(limit) },
    '/agents',
    60,
  )
  assert.deepEqual(passedOf(statuses), [limit, 50])
})

async function redisAnswers(): Promise<boolean> {
  const { hostname, port } = new URL(REDIS)
  return new Promise(resolve => {
    const socket = connect(Number(port || 6379), hostname)
    socket
      .once('connect', () => {
        socket.destroy()
        resolve(true)
      })
      .once('error', () => resolve(false))
  })
}
