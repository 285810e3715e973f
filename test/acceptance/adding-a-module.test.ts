import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import {
  call,
  copyService,
  createTestDatabase,
  freePort,
  startServerProcess,
  type ServerProcess,
} from '#test'

const ROOT = join(import.meta.dirname, '../..')
const REGISTRY = 'server/modules/registry.ts'
const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** The files of the module on the page, by their path. */
function filesOf(page: string): [path: string, text: string][] {
  const blocks = page.matchAll(/^`(server\/modules\/reminders\/[^`]+)`[^\n]*\n\n```\w+\n([\s\S]*?)^```/gm)
  return [...blocks].map(([, path = '', text = '']) => [path, text])
}

/** Applies the change of the registry, which is one line. */
function register(registry: string, page: string): string {
  const [, removed = '', added = ''] = /```diff\n-([^\n]*)\n\+([^\n]*)\n```/.exec(page) ?? []
  assert.ok(removed && registry.includes(`${removed}\n`), 'the page shows another registry')
  return registry.replace(removed, added)
}

/** A copy of the service with the module of the page: its folder, and one line of the registry. */
async function copyWithModule(): Promise<string> {
  const root = await copyService()
  const page = await readFile(join(ROOT, 'docs/adding-a-module.md'), 'utf8')
  for (const [path, text] of filesOf(page)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await writeFile(join(root, REGISTRY), register(await readFile(join(root, REGISTRY), 'utf8'), page))
  return root
}

test('a module takes its own folder and one line of the registry', async () => {
  const [root, port] = [await copyWithModule(), await freePort()]
  const database = await createTestDatabase({ empty: true })
  const client = new pg.Client({ connectionString: database.url })
  const env = {
    PORT: String(port),
    DATABASE_URL: database.url,
    SVC_DATA_DIR: join(root, 'data'),
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  }
  let server: ServerProcess | undefined
  try {
    const { baseUrl } = (server = await startServerProcess(env, root))
    await client.connect()
    const post = async <Body>(path: string, body: object, token?: string) =>
      call<Body>(baseUrl + path, 'POST', { body, token })
    const admin = await post<{ accessToken: string }>('/auth/login', ADMIN)
    const person = { email: 'ada@example.com', displayName: 'Ada', password: ADMIN.password }
    const registered = await post<{ accessToken: string; user: { id: string } }>('/auth/register', person)
    assert.equal(registered.status, 201, registered.text)
    const { accessToken, user } = registered.body
    const stored = async () => {
      const statement =
        'select topic, sent_at is not null as sent from reminders_reminder where account_id = $1 order by topic'
      const { rows } = await client.query<{ topic: string; sent: boolean }>(statement, [user.id])
      return rows
    }
    assert.deepEqual(await stored(), [{ topic: 'FUND_WALLET', sent: false }], 'by the subscriber')

    const created = await post<{ id: string; topic: string }>(
      '/reminders',
      { topic: 'PUBLISH_AGENT', days: 3 },
      accessToken,
    )
    assert.deepEqual([created.status, created.body.topic], [201, 'PUBLISH_AGENT'])

    const advanced = await post('/sandbox/clock/advance', { seconds: 2 * 86_400 }, admin.body.accessToken)
    assert.equal(advanced.status, 200, advanced.text)
    assert.deepEqual(
      await stored(),
      [
        { topic: 'FUND_WALLET', sent: true },
        { topic: 'PUBLISH_AGENT', sent: false },
      ],
      'by the timer',
    )
  } finally {
    await client.end()
    await server?.end('SIGTERM')
    await database.drop()
    await rm(root, { recursive: true })
  }
})
