import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, suite, test } from 'node:test'
import {
  copyService,
  createTestDatabase,
  freePort,
  startServerProcess,
  type ServerProcess,
  type TestDatabase,
} from '#test'
import { DealLoad } from './load.ts'

const CLIENTS = 3
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

  /** Goes from one test to the next. */
  let server: ServerProcess
  let load: DealLoad
  const start = async (port: number, root?: string): Promise<ServerProcess> =>
    startServerProcess({ PORT: String(port), DATABASE_URL: database.url, SVC_DATA_DIR: dataDir }, root)

  test('SIGTERM in the middle of deals loses nothing acknowledged, and ends with 0', async () => {
    const port = await freePort()
    server = await start(port)
    load = await new DealLoad(server.baseUrl).start(CLIENTS)
    await load.more(CLIENTS)
    assert.equal(await server.end('SIGTERM'), 0)
    server = await start(port)
    await load.more(CLIENTS)
    assert.ok(load.repeated > 0, 'no request met the stop')
    assert.deepEqual(load.failures, [])
    assert.deepEqual(await load.lost(server.baseUrl, [...load.deals]), [])
  })

  test('a later version migrates and serves beside the running one, which goes on', async () => {
    const newer = await start(await freePort(), later)
    load.urls = [server.baseUrl, newer.baseUrl]
    await load.more(3 * CLIENTS)
    assert.equal(await server.end('SIGTERM'), 0)
    await load.more(CLIENTS)
    await load.stop()
    assert.deepEqual(load.failures, [])
    assert.deepEqual(await load.lost(newer.baseUrl), [])
    assert.equal(await newer.end('SIGTERM'), 0)
    const env = { PATH: process.env.PATH, DATABASE_URL: database.url, SVC_DATA_DIR: dataDir }
    const check = spawnSync('bin/svc', ['ledger', 'check', '--full'], { env, encoding: 'utf8' })
    assert.equal(check.status, 0, check.stdout + check.stderr)
  })
})
