import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  copyService,
  createTestDatabase,
  freePort,
  startServerProcess,
  type ServerProcess,
  type TestDatabase,
} from '#test'
import { DealLoad } from './load.ts'

const CLIENTS = 6
/** Adds what the older version does not know, as every migration must: docs/OPERATIONS.md, "Upgrade without a pause". */
const LATER_MIGRATION = 'alter table ap2_negotiation add column later text'

/** Clients play deals and repeat what got no answer, while the service is stopped and started, or replaced by a later version. */
suite('restart and upgrade under load', () => {
  let database: TestDatabase
  let dataDir: string
  let later: string
  before(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'svc-restart-'))
    later = await copyService()
    await writeFile(join(later, 'server/modules/ap2/migrations/9999-later.sql'), LATER_MIGRATION)
  })
  after(async () => {
    await database.drop()
    for (const folder of [dataDir, later]) await rm(folder, { recursive: true, force: true })
  })

  const start = async (port: number, root?: string): Promise<ServerProcess> =>
    startServerProcess({ PORT: String(port), DATABASE_URL: database.url, SVC_DATA_DIR: dataDir }, root)
  const more = async (load: DealLoad, deals: number) => {
    for (const enough = load.ended.length + deals; load.ended.length < enough;) await sleep(10)
  }
  async function verify(load: DealLoad, server: ServerProcess): Promise<void> {
    assert.deepEqual(load.failures, [])
    assert.deepEqual(await load.lost(server.baseUrl), [])
    assert.equal(await server.end('SIGTERM'), 0)
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, SVC_DATA_DIR: dataDir }
    const check = spawnSync('bin/svc', ['ledger', 'check', '--full'], { env, encoding: 'utf8' })
    assert.equal(check.status, 0, check.stdout + check.stderr)
  }

  test('SIGTERM in the middle of deals loses nothing acknowledged, and ends with 0', async () => {
    const port = await freePort()
    let server = await start(port)
    const load = await new DealLoad(server.baseUrl).start(CLIENTS)
    await more(load, CLIENTS)
    assert.equal(await server.end('SIGTERM'), 0)
    server = await start(port)
    await load.stop()
    assert.ok(load.repeated > 0, 'no request met the stop')
    await verify(load, server)
  })

  test('a later version migrates and serves beside the running one, which goes on', async () => {
    const [older, port] = [await start(await freePort()), await freePort()]
    const load = await new DealLoad(older.baseUrl).start(CLIENTS)
    await more(load, CLIENTS)
    const newer = await start(port, later)
    load.urls = [older.baseUrl, newer.baseUrl]
    await more(load, 3 * CLIENTS)
    assert.equal(await older.end('SIGTERM'), 0)
    await more(load, CLIENTS)
    await load.stop()
    await verify(load, newer)
  })
})
