import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  call,
  createTestDatabase,
  freePort,
  startServerProcess,
  type ServerProcess,
  type TestDatabase,
} from '#test'

const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }
const KILLS = 2
const VISITORS = 8

suite('kill -9 while visitors follow affiliate links', () => {
  let database: TestDatabase
  let dataDir: string
  let env: Record<string, string> & { PORT: string }
  let server: ServerProcess

  before(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'svc-clicks-'))
    env = {
      PORT: String(await freePort()),
      DATABASE_URL: database.url,
      SVC_DATA_DIR: dataDir,
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
    }
    server = await startServerProcess(env)
  })
  after(async () => {
    await server.end('SIGTERM')
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  async function post<Body>(path: string, body: object, token?: string): Promise<Body> {
    const answer = await call<Body>(server.baseUrl + path, 'POST', { body, ...(token ? { token } : {}) })
    assert.ok(answer.status <= 201, answer.text)
    return answer.body
  }

  async function activeCode(): Promise<string> {
    type Session = { accessToken: string }
    const { accessToken: admin } = await post<Session>('/auth/login', ADMIN)
    const { accessToken } = await post<Session>('/auth/register', {
      ...ADMIN,
      email: 'ada@example.com',
      displayName: 'Ada',
    })
    const profile = await post<{ id: string; code: string }>(
      '/affiliates/apply',
      { displayName: 'Ada Weekly', acceptTerms: true },
      accessToken,
    )
    await post(`/affiliates/admin/${profile.id}/review`, { decision: 'approve' }, admin)
    return profile.code
  }

  /** Follows the link until the connection breaks; adds the ids of the clicks that were answered. */
  async function visit(code: string, answered: string[]): Promise<void> {
    for (;;) {
      try {
        const response = await fetch(`${server.baseUrl}/affiliates/r/${code}`, { redirect: 'manual' })
        const id = /svc_click=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
        if (id) answered.push(id)
      } catch {
        return
      }
    }
  }

  test('loses no click that was answered', async () => {
    const code = await activeCode()
    const answered: string[] = []
    for (let kill = 1; kill <= KILLS; kill++) {
      const visits = Array.from({ length: VISITORS }, () => visit(code, answered))
      // However slow the machine is, each kill meets a server that answers.
      for (const deadline = Date.now() + 30_000; answered.length < kill * VISITORS && Date.now() < deadline;)
        await sleep(20)
      await sleep(100 * kill)
      await server.end('SIGKILL')
      await Promise.all(visits)
      if (kill < KILLS) server = await startServerProcess(env)
    }
    assert.ok(answered.length > VISITORS, `only ${answered.length} clicks were answered`)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ id: string }>('select id from affiliates_click')
    await client.end()
    const stored = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      answered.filter(id => !stored.has(id)),
      [],
    )
  })
})
