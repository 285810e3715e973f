import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import {
  assertNoSecretIn,
  call,
  createTestDatabase,
  deliveredDeal,
  eventually,
  freePort,
  must,
  openMarket,
  startServerProcess,
  startTestService,
  type Market,
  type ServerProcess,
  type TestService,
} from '#test'
import { startEmbeddedPostgres } from '#platform/adapters/postgres/embedded'
import { readConfig } from '#platform/kernel/config'
import { placeMasterKey } from '../../bin/commands/master-key.ts'

const SVC = join(import.meta.dirname, '../../bin/svc')
const PASSPHRASE = 'the passphrase of the test'
/** Of a writer between two deals: the processor is for the backup. */
const PAUSE_MS = 200

/** `svc backup` while deals are made, then `svc restore`: into a data folder, and on to a server of DATABASE_URL. */
suite('svc backup and svc restore', () => {
  let source: TestService
  let market: Market
  let folder: string
  let dataDir: string
  let file: string
  let restored: ServerProcess | undefined
  let apiKey: string
  let addresses: string[]
  let finished: string[]
  let env: Record<string, string> & { PORT: string }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-backup-'))
    // As root the embedded server runs as another user, which must pass through.
    await chmod(folder, 0o755)
    dataDir = join(folder, 'data')
    file = join(folder, 'full.backup')
    // No mail server answers: every mail waits.
    source = await startTestService({ SMTP_URL: 'smtp://127.0.0.1:1' })
    market = await openMarket(source)
    apiKey = await accountKey(source, market.buyer.token)
    addresses = [await managedAddress(source.baseUrl), await managedAddress(source.baseUrl)]
    finished = await backUpUnderLoad()
    env = {
      PORT: String(await freePort()),
      SVC_DATA_DIR: dataDir,
      PUBLIC_URL: source.services.publicUrl,
      VERIFIER_ALLOW_PRIVATE: '127.0.0.1:*',
    }
  })
  after(async () => {
    await restored?.end('SIGTERM')
    await source.close()
    await rm(folder, { recursive: true, force: true })
  })

  const sourceEnv = () => ({ DATABASE_URL: source.databaseUrl, SVC_DATA_DIR: source.services.dataDir })

  /** Ids of the deals that ended before the backup began. */
  async function backUpUnderLoad(): Promise<string[]> {
    const done: string[] = []
    let loaded = true
    const writers = Array.from({ length: 4 }, async () => {
      for (; loaded; await sleep(PAUSE_MS)) done.push(await releasedDeal(market))
    })
    while (done.length < 4) await sleep(10)
    const before = [...done]
    const { status, out, err } = await svc(['backup', file], sourceEnv())
    const during = done.length - before.length
    loaded = false
    await Promise.all(writers)
    assert.deepEqual([status, err], [0, ''])
    assert.match(out, /\d+ tables, \d+ rows, [1-9]\d* pending jobs/)
    assert.ok(during > 0, 'no deal ended while the backup ran')
    return before
  }

  test('the file is for its owner alone and holds no secret in the clear', async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const masterKey = (await readFile(join(source.services.dataDir, 'master.key'), 'utf8')).trim()
    const text = gunzipSync(await readFile(file)).toString()
    assert.ok(!text.includes(masterKey) && !text.includes(PASSPHRASE))
    assertNoSecretIn([['the backup', text]])
  })

  test('a wrong passphrase and a missing one change nothing', async () => {
    const [wrong, missing] = await Promise.all([
      svc(['restore', file], { SVC_DATA_DIR: dataDir, SVC_BACKUP_PASSPHRASE: 'something else entirely' }),
      svc(['restore', file], { SVC_DATA_DIR: dataDir, SVC_BACKUP_PASSPHRASE: '' }),
    ])
    assert.deepEqual([wrong.status, wrong.err], [1, 'svc restore: the passphrase is wrong for this backup\n'])
    assert.equal(missing.status, 78)
    assert.match(missing.err, /SVC_BACKUP_PASSPHRASE must be set/)
    await assert.rejects(stat(dataDir), { code: 'ENOENT' })
  })

  test('another master key in the way is refused', async () => {
    const other = await svc(['restore', file], { SVC_DATA_DIR: dataDir, SVC_MASTER_KEY: 'ab'.repeat(32) })
    assert.equal(other.status, 1)
    assert.match(other.err, /SVC_MASTER_KEY is not the key of this backup/)
    const inTheWay = join(folder, 'in-the-way')
    await mkdir(inTheWay)
    await writeFile(join(inTheWay, 'master.key'), 'ab'.repeat(32))
    await assert.rejects(
      placeMasterKey(readConfig({ SVC_DATA_DIR: inTheWay }), 'cd'.repeat(32)),
      /master\.key is not the key of this backup/,
    )
    assert.equal(await readFile(join(inTheWay, 'master.key'), 'utf8'), 'ab'.repeat(32))
  })

  test('restores into an empty data folder; the books balance and the chains verify', async () => {
    const { status, out, err } = await svc(['restore', file], { SVC_DATA_DIR: dataDir })
    assert.deepEqual([status, err], [0, ''], out)
    assert.match(out, /The ledger is consistent: no findings\.[\s\S]*Both chains verify/)
    assert.equal((await stat(join(dataDir, 'master.key'))).mode & 0o777, 0o600)
    assert.equal(
      await readFile(join(dataDir, 'master.key'), 'utf8'),
      await readFile(join(source.services.dataDir, 'master.key'), 'utf8'),
    )
  })

  test('the restored service knows passwords, sessions, keys and deals, and sends the waiting mail', async () => {
    restored = await startServerProcess(env)
    const { baseUrl } = restored
    const { buyer } = market
    const login = await call(`${baseUrl}/auth/login`, 'POST', {
      body: { email: buyer.email, password: 'correct horse battery staple' },
    })
    assert.equal(login.status, 200, login.text)
    assert.equal((await call(`${baseUrl}/users/me`, 'GET', { token: buyer.token })).status, 200)
    assert.equal(
      (await call(`${baseUrl}/auth/refresh`, 'POST', { body: { refreshToken: buyer.refreshToken } })).status,
      200,
    )
    assert.equal(
      (await call(`${baseUrl}/ap2/negotiations/${finished[0]}`, 'GET', { token: apiKey })).status,
      200,
    )
    for (const id of finished) {
      const { body } = await call<{ status: string }>(`${baseUrl}/ap2/negotiations/${id}`, 'GET', {
        token: buyer.token,
      })
      assert.equal(body.status, 'COMPLETED')
    }
    await mailArrives(baseUrl, buyer.email)
  })

  test('the restored service derives new wallet addresses, goes on with deals and seals them', async () => {
    assert.ok(restored)
    const { baseUrl } = restored
    assert.ok(!addresses.includes(await managedAddress(baseUrl)))
    const here: Market = {
      ...market,
      service: { ...source, baseUrl, http: (method, path, options) => call(baseUrl + path, method, options) },
    }
    await releasedDeal(here)
    await untilSealed(dataDir)
  })

  test('a running embedded service moves to DATABASE_URL; a target that is not empty is refused', async () => {
    const moved = join(folder, 'moved.backup')
    assert.equal((await svc(['backup', moved], { SVC_DATA_DIR: dataDir })).status, 0)
    const again = await svc(['restore', moved], { SVC_DATA_DIR: dataDir })
    assert.equal(again.status, 1)
    assert.match(again.err, /The database is not empty: it has \d+ tables/)
    assert.equal(await restored?.end('SIGTERM'), 0)
    const target = await createTestDatabase({ empty: true })
    try {
      const into = { DATABASE_URL: target.url, SVC_DATA_DIR: join(folder, 'beside') }
      const { status, out, err } = await svc(['restore', moved], into)
      assert.deepEqual([status, err], [0, ''], out)
      // Of what the restored service sealed too.
      assert.match(out, /The ledger is consistent: no findings\.[\s\S]*Both chains verify/)
      const instance = await source.instance({ SVC_DATA_DIR: into.SVC_DATA_DIR }, target.url)
      assert.equal(
        (await instance.http('GET', `/ap2/negotiations/${finished[0]}`, { token: apiKey })).status,
        200,
      )
      await instance.close()
    } finally {
      await target.drop()
    }
  })
})

/** Waits until the running service has put each journal of the embedded database into a block. */
async function untilSealed(dataDir: string): Promise<void> {
  const { url, stop } = await startEmbeddedPostgres({ dataDir, command: true })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await eventually('every journal is sealed', async () => {
      const { rows } = await client.query('select from ledger_unsealed limit 1')
      return !rows.length
    })
  } finally {
    await client.end()
    await stop()
  }
}

/** Runs the command as an operator would, from another folder. */
async function svc(
  words: string[],
  env: Record<string, string>,
): Promise<{ status: number; out: string; err: string }> {
  return new Promise(resolve => {
    execFile(
      SVC,
      words,
      { cwd: '/', env: { PATH: process.env.PATH, SVC_BACKUP_PASSPHRASE: PASSPHRASE, ...env } },
      (error, out, err) => {
        resolve({ status: error ? Number(error.code) : 0, out, err })
      },
    )
  })
}

async function releasedDeal(market: Market): Promise<string> {
  const { id, escrowId } = await deliveredDeal(market, { budget: 1 })
  await must(market, 'buyer', '/payments/ap2/release', { escrowId })
  return id
}

async function accountKey(service: TestService, token: string): Promise<string> {
  const { status, text, body } = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
    token,
    body: { name: 'old key' },
  })
  assert.equal(status, 201, text)
  return body.apiKey
}

async function managedAddress(baseUrl: string): Promise<string> {
  const agent = await call<{ user: { id: string }; agentApiKey: string }>(
    `${baseUrl}/auth/register-agent`,
    'POST',
    {
      body: { username: `agent_${Math.random().toString(36).slice(2, 10)}`, walletType: 'managed' },
    },
  )
  assert.equal(agent.status, 201, agent.text)
  const { text, body } = await call<{ cryptoAddress: string }>(
    `${baseUrl}/wallets/user/${agent.body.user.id}`,
    'GET',
    { token: agent.body.agentApiKey },
  )
  assert.ok(body.cryptoAddress, text)
  return body.cryptoAddress
}

async function mailArrives(baseUrl: string, to: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(100)) {
    const { body } = await call<{ items: unknown[] }>(
      `${baseUrl}/sandbox/mail?to=${encodeURIComponent(to)}`,
      'GET',
    )
    if (body.items.length) return
  }
  throw new Error(`the mail to ${to} did not arrive`)
}
