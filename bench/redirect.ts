/**
 * How long an affiliate link takes at 1,000 clicks a second, beside a bare 302 of the same framework in the same run.
 *   node bench/redirect.ts [--rate 1000] [--seconds 10] [--rounds 3]      (about a minute)
 *
 * Clicks arrive at a fixed rate, whether or not earlier ones were answered; the time of each counts from the moment when it
 * was due. Each visitor is another one. The service stores every click before it answers.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Worker, isMainThread, workerData } from 'node:worker_threads'
import fastify from 'fastify'
import { call, createTestDatabase, freePort, startServerProcess } from '#test'

const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }
const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  },
})
const [RATE, SECONDS, ROUNDS] = [options.rate, options.seconds, options.rounds].map(Number) as [
  number,
  number,
  number,
]
const WARM_UP_SECONDS = 2
const TICK_MS = 2

if (isMainThread) await main()
else await serveBare(Number(workerData))

/** The limit: a route that redirects and does nothing else, in a thread of its own as the service is a process of its own. */
async function serveBare(port: number): Promise<void> {
  const app = fastify()
  app.get('/affiliates/r/:code', (_, reply) => reply.code(302).header('location', '/').send())
  await app.listen({ port, host: '127.0.0.1' })
}

async function main(): Promise<void> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-redirect-'))
  const server = await startServerProcess({
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    SVC_DATA_DIR: dataDir,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  })
  const barePort = await freePort()
  const bare = new Worker(import.meta.filename, { workerData: barePort })
  await sleep(1000)
  const code = await activeCode(server.baseUrl)
  const targets = {
    'a bare 302': `http://127.0.0.1:${barePort}/affiliates/r/${code}`,
    'an affiliate link': `${server.baseUrl}/affiliates/r/${code}`,
  }
  for (const url of Object.values(targets)) await clicks(url, WARM_UP_SECONDS)
  const rows = []
  for (let round = 1; round <= ROUNDS; round++)
    for (const [target, url] of Object.entries(targets))
      rows.push({ round, target, ...summary(await clicks(url, SECONDS)) })
  console.table(rows)
  await bare.terminate()
  await server.end('SIGTERM')
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
  process.exit(0)
}

async function activeCode(baseUrl: string): Promise<string> {
  const post = async <Body>(path: string, body: object, token?: string) =>
    (await call<Body>(baseUrl + path, 'POST', { body, ...(token ? { token } : {}) })).body
  const { accessToken } = await post<{ accessToken: string }>('/auth/login', ADMIN)
  const application = { displayName: 'Ada Weekly', acceptTerms: true }
  const { id, code } = await post<{ id: string; code: string }>('/affiliates/apply', application, accessToken)
  await post(`/affiliates/admin/${id}/review`, { decision: 'approve' }, accessToken)
  return code
}

/** Sends clicks at the rate; returns the milliseconds of each from when it was due until its answer. */
async function clicks(url: string, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const times: number[] = []
  const waiting: Promise<void>[] = []
  const started = performance.now()
  for (let sent = 0; sent < RATE * seconds;) {
    const due = Math.floor(((performance.now() - started) / 1000) * RATE)
    for (; sent <= due && sent < RATE * seconds; sent++) {
      const dueAt = started + (sent / RATE) * 1000
      waiting.push(click(url, agent, sent).then(() => void times.push(performance.now() - dueAt)))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(waiting)
  agent.destroy()
  return times
}

function click(url: string, agent: Agent, visitor: number): Promise<void> {
  const headers = { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0 visitor/${visitor}` }
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, response => {
      if (response.statusCode !== 302) reject(new Error(`answered ${response.statusCode}`))
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}

function summary(times: number[]) {
  times.sort((a, b) => a - b)
  const at = (share: number) => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(2))
  return { clicks: times.length, 'p50 (ms)': at(0.5), 'p99 (ms)': at(0.99), 'slowest (ms)': at(0.999_999) }
}
