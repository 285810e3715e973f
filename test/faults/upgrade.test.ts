import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { call, createTestDatabase, freePort, startServerProcess, type TestDatabase } from '#test'
import { checkBackup, loadBackup } from '#platform/adapters/backup/load'
import { writeMasterKey } from '#platform/kernel/secrets'
import { readConfig } from '#platform/kernel/config'
import { withServer } from '../../bin/commands/database.ts'
import { MODULES } from '../../server/modules/registry.ts'

const SVC = join(import.meta.dirname, '../../bin/svc')
/** Four deals of `npm run demo` on the first version of the service (commit a27cea5), which had 15 migrations. */
const FIRST_VERSION = join(import.meta.dirname, 'data/first-version.backup')
const PASSPHRASE = 'correct horse battery'

interface Report {
  applied: number
  pending: string[]
  isRunning: boolean
  isCommandRunning: boolean
  backup?: { file: string; tables: number }
  migrated?: string[]
  findings?: string[]
}

suite('svc upgrade of the data of the first version', () => {
  let database: TestDatabase
  let dataDir: string
  let backup: string
  before(async () => {
    database = await createTestDatabase({ empty: true })
    dataDir = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
    const checked = await checkBackup(FIRST_VERSION, PASSPHRASE, MODULES)
    await loadBackup(database.url, checked)
    await writeMasterKey(dataDir, checked.key.masterKey)
    backup = join(dataDir, 'before.backup')
  })
  after(async () => {
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const env = () => ({ DATABASE_URL: database.url, SVC_DATA_DIR: dataDir })
  const svc = (...words: string[]) => svcWith({}, ...words)
  const svcWith = (more: Record<string, string>, ...words: string[]) =>
    new Promise<{ status: number; out: string; err: string }>(resolve => {
      const options = {
        cwd: '/',
        env: { PATH: process.env.PATH, SVC_BACKUP_PASSPHRASE: PASSPHRASE, ...env(), ...more },
      }
      execFile(SVC, words, options, (error, out, err) =>
        resolve({ status: error ? Number(error.code) : 0, out, err }),
      )
    })
  /** How many migrations the database has had: `svc upgrade --check` says the same in half a second of processor time. */
  const applied = () =>
    withClient('psql', async client => {
      const { rows } = await client.query<{ count: string }>('select count(*) from platform_migration')
      return Number(rows[0]?.count)
    })
  async function withClient<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: database.url, application_name: name })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  test('--check lists what is waiting, changes nothing and ends with 1', async () => {
    const [json, text] = await Promise.all([svc('upgrade', '--check', '--json'), svc('upgrade', '--check')])
    const { applied: had, pending, isRunning } = JSON.parse(json.out) as Report
    assert.deepEqual([json.status, had, isRunning], [1, 15, false])
    assert.ok(pending.includes('platform/0005-resumed-requests.sql') && pending.length > 90)
    assert.equal(await applied(), 15)
    assert.match(
      text.out,
      /^Data: 15 migrations, the newest of \d{4}-.*\n\d+ migrations are waiting: platform\//m,
    )
  })

  test('refuses while a service uses the database', async () => {
    await withClient('svc', async () => {
      const [check, { status, err }] = await Promise.all([
        svc('upgrade', '--check', '--json'),
        svc('upgrade', '--backup', backup),
      ])
      assert.equal((JSON.parse(check.out) as Report).isRunning, true)
      assert.equal(status, 1)
      assert.match(err, /^svc upgrade: the service uses the database: stop all its instances/)
    })
    await withClient('market', async () => {
      const DATABASE_URL = `${database.url}${database.url.includes('?') ? '&' : '?'}application_name=market`
      const { err } = await svcWith({ DATABASE_URL }, 'upgrade', '--backup', backup)
      assert.match(err, /^svc upgrade: the service uses the database: stop all its instances/)
    })
    await assert.rejects(stat(backup), { code: 'ENOENT' })
    assert.equal((await svc('upgrade', '--backup', backup, '--no-backup')).status, 64)
  })

  test('takes another command that uses the database for no service, and refuses beside it', async () => {
    await withServer(readConfig({ DATABASE_URL: database.url }), async url => {
      const command = new pg.Client({ connectionString: url })
      await command.connect()
      const [check, { status, err }] = await Promise.all([
        svc('upgrade', '--check', '--json'),
        svc('upgrade', '--backup', backup),
      ])
      await command.end()
      const { isRunning, isCommandRunning } = JSON.parse(check.out) as Report
      assert.deepEqual([isRunning, isCommandRunning], [false, true])
      assert.equal(status, 1)
      assert.match(err, /^svc upgrade: another svc command, such as a backup, uses the database/)
    })
    await assert.rejects(stat(backup), { code: 'ENOENT' })
  })

  test('changes nothing when the backup cannot be written', async () => {
    const { status, err } = await svc('upgrade', '--backup', join(FIRST_VERSION, 'no-folder', 'file'))
    assert.equal(status, 1)
    assert.match(err, /^svc upgrade: the backup failed, and nothing was changed: ENOTDIR/)
    assert.equal(await applied(), 15)
  })

  test('says what to do when a migration fails, and goes on when its cause is gone', async () => {
    await withClient('psql', client => client.query('create table market_need (in_the_way int)'))
    const { status, err } = await svc('upgrade', '--backup', backup)
    assert.equal(status, 1)
    assert.match(err, /Migration market\/\S+ failed: .*market_need.* already exists/)
    assert.match(err, /changed nothing; \d+ are waiting/)
    assert.match(err, /Remove the cause and run "svc upgrade" again, or go back: install the old version/)
    assert.ok(err.includes(backup), err)
    assert.ok((await applied()) > 15)
    await withClient('psql', client => client.query('drop table market_need'))
    // The backup is that of the first version.
    const { header } = await checkBackup(backup, PASSPHRASE, MODULES)
    assert.equal(header.migrations.length, 15)
    const { status: second, out } = await svc('upgrade', '--json')
    assert.equal(second, 0, out)
    const { backup: written, findings, migrated } = JSON.parse(out) as Report
    assert.deepEqual(findings, [])
    assert.ok(migrated?.includes('market/0001-market.sql'))
    assert.ok(written && written.file.startsWith(join(dataDir, 'backups/before-1.0.0-')))
    assert.equal((await stat(written.file)).mode & 0o777, 0o600)
  })

  test('the service starts on the upgraded data, and its first users go on', async () => {
    const server = await startServerProcess({ ...env(), PORT: String(await freePort()) })
    try {
      const { body, status } = await call<{ accessToken: string }>(`${server.baseUrl}/auth/login`, 'POST', {
        body: { email: 'ada.aae0f5@example.com', password: 'correct horse battery' },
      })
      assert.equal(status, 200)
      const deals = await call<{ items: { status: string }[] }>(`${server.baseUrl}/ap2/negotiations`, 'GET', {
        token: body.accessToken,
      })
      assert.deepEqual(
        deals.body.items.map(({ status }) => status),
        ['COMPLETED'],
      )
      const { out, status: checked } = await svc('upgrade', '--check')
      assert.equal(checked, 0)
      assert.match(out, /The data has this version: nothing to do/)
    } finally {
      assert.equal(await server.end('SIGTERM'), 0)
    }
    assert.equal((await svc('ledger', 'check', '--full')).status, 0)
  })
})
