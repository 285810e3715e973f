import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import pg from 'pg'
import { call, type Answer } from '#test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADMIN, Player } from '../../bench/deals/players.ts'
import { Cluster } from './cluster.ts'
import type { Say } from './index.ts'

const REDIS = process.env.SVC_TEST_REDIS ?? 'redis://127.0.0.1:6379'
const PLAYERS = 4
const DEALS_OF_EACH = 10
const MONTH_MS = 30 * 86_400_000
/** docs/API.md: limits of check-username. */
const CHECK_MAX = 20
const USER_MAX = 150
/** What a change of a credential may take to reach every process. */
const EFFECT_MS = 1000

/** What several processes must do as one: deadlines, limits, ended credentials. `env` has DATABASE_URL. */
export async function checkShared(
  count: number,
  env: Record<string, string>,
  databaseUrl: string,
  say: Say,
): Promise<void> {
  const hasRedis = await answers(REDIS)
  if (!hasRedis)
    console.log(`No Redis answers at ${REDIS}: general limits are counted by each process, and not checked.`)
  const redis: Record<string, string> = hasRedis ? { REDIS_URL: REDIS } : {}
  const cluster = await Cluster.open(count, { ...env, ...redis, RATE_LIMIT_USER_PER_MIN: String(USER_MAX) })
  try {
    await checkTimers(cluster, databaseUrl, say)
    await checkLimits(cluster, hasRedis, say)
    await checkCredentials(cluster, say)
  } finally {
    await cluster.close()
  }
}

/** Deals that are never delivered fall due at the same moment for all processes: each is refunded once. */
async function checkTimers(cluster: Cluster, databaseUrl: string, say: Say): Promise<void> {
  const players: Player[] = []
  for (let n = 0; n < PLAYERS; n++) players.push(await Player.open(cluster.url))
  await Promise.all(players.map(fundDeals))
  for (const player of players) player.close()
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const read = async (text: string) => (await database.query<Record<string, unknown>>(text)).rows
  await read(`update platform_clock set offset_ms = offset_ms + ${MONTH_MS}`)
  const deals = PLAYERS * DEALS_OF_EACH
  const refunds = () => read("select reference from ledger_journal where kind = 'ap2.refund'")
  for (let tries = 0; (await refunds()).length < deals && tries < 600; tries++) await sleep(100)
  // What a second process would do, it would do by now.
  await sleep(3 * EFFECT_MS)
  const journals = (await refunds()).length
  const transitions = await read("select 1 from ap2_escrow_history where to_status = 'REFUNDED'")
  const doubled = await read(`select 1 from notifications_event
    group by agent_id, subject_id, type, data having count(*) > 1`)
  await database.end()
  say(
    'timers fire once',
    journals === deals && transitions.length === deals && !doubled.length,
    `${deals} deals due at once: ${journals} refunds, ${transitions.length} transitions, ${doubled.length} doubled events`,
  )
}

/** Stops each deal before its delivery. */
async function fundDeals(player: Player): Promise<void> {
  const stop = new Error('enough')
  for (let n = 0; n < DEALS_OF_EACH; n++)
    await player
      .playDeal((step, work) => (step === 'deliver' ? Promise.reject(stop) : work()))
      .catch((error: unknown) => {
        if (error !== stop) throw error
      })
}

async function checkLimits(cluster: Cluster, hasRedis: boolean, say: Say): Promise<void> {
  const passed = async (times: number, send: () => Promise<Answer>) => {
    const all = await Promise.all(Array.from({ length: times }, send))
    return all.filter(({ status }) => status === 200).length
  }
  const checks = await passed(10 * CHECK_MAX, () =>
    call(`${cluster.url}/auth/check-username?username=somebody`, 'GET'),
  )
  say('limits in the database are exact', checks === CHECK_MAX, `${checks} of ${10 * CHECK_MAX} passed`)
  if (!hasRedis) return
  const { token } = await register(cluster.url)
  const reads = await passed(2 * USER_MAX, () => call(`${cluster.url}/users/me`, 'GET', { token }))
  say('general limits with Redis are exact', reads === USER_MAX, `${reads} of ${2 * USER_MAX} passed`)
}

/** One process ends a credential that all have just accepted. */
async function checkCredentials(cluster: Cluster, say: Say): Promise<void> {
  const [first = '', ...others] = cluster.urls
  const admin = await must<{ accessToken: string }>(`${first}/auth/login`, 'POST', { body: ADMIN })
  const measure = async (what: string, path: string, token: string, change: () => Promise<unknown>) => {
    for (const url of cluster.urls) await must(url + path, 'GET', { token })
    const started = performance.now()
    await change()
    const changed = performance.now()
    const refusedAt = await Promise.all(others.map(url => untilRefused(url + path, token)))
    const ms = Math.round(Math.max(...refusedAt) - changed)
    say(
      `${what} reaches every process`,
      ms <= EFFECT_MS,
      `after ${ms} ms (${Math.round(changed - started)} ms for the change)`,
    )
  }
  const person = await register(first)
  const key = await must<{ id: string; apiKey: string }>(`${first}/api/v1/keys`, 'POST', {
    token: person.token,
    body: { name: 'Scale', scopes: ['agent:read'] },
  })
  await measure('a revoked key', `/wallets/user/${person.id}`, key.apiKey, () =>
    must(`${first}/api/v1/service-accounts/${key.id}`, 'DELETE', { token: person.token }),
  )
  const { key: routingKey, id } = await must<{ key: string; id: string }>(`${first}/v1/auth/keys`, 'POST', {
    token: person.token,
    body: { name: 'Scale' },
  })
  await measure('a revoked routing key', '/v1/key', routingKey, () =>
    must(`${first}/v1/auth/keys/${id}`, 'DELETE', { token: person.token }),
  )
  await measure('a suspension', '/users/me', person.token, () =>
    must(`${first}/admin/users/${person.id}/suspend`, 'POST', {
      token: admin.accessToken,
      body: { reason: 'A trial' },
    }),
  )
  const other = await register(first)
  await measure('a sign-out', '/users/me', other.token, () =>
    must(`${first}/auth/logout`, 'POST', { body: { refreshToken: other.refreshToken } }),
  )
}

async function untilRefused(url: string, token: string): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    if ((await call(url, 'GET', { token })).status >= 400) return performance.now()
    await sleep(10)
  }
  return Infinity
}

async function register(baseUrl: string): Promise<{ id: string; token: string; refreshToken: string }> {
  const body = { email: `${randomUUID()}@example.com`, displayName: 'Scale', password: ADMIN.password }
  const { user, accessToken, refreshToken } = await must<{
    user: { id: string }
    accessToken: string
    refreshToken: string
  }>(`${baseUrl}/auth/register`, 'POST', { body })
  return { id: user.id, token: accessToken, refreshToken }
}

async function must<Body>(...[url, method, options]: Parameters<typeof call>): Promise<Body> {
  const { status, text, body } = await call<Body>(url, method, options)
  if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`)
  return body
}

function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port || 6379), hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
