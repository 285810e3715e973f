import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#test'
import { Cluster } from './cluster.ts'
import { Load } from './load.ts'

const CLIENTS = 4
/** Of a client before each request. There is none while a process stops: requests are under way at each moment. */
const PAUSE_MS = 150

suite('two processes behind a balancer', () => {
  let database: TestDatabase
  let cluster: Cluster
  before(async () => {
    database = await createTestDatabase()
    cluster = await Cluster.open(2, { DATABASE_URL: database.url })
  })
  after(async () => {
    await cluster.close()
    await database.drop()
  })

  /** `npm run scale -- rolling` replaces both: the second time proves the same and takes seconds of processor time. */
  test('a process is replaced under load, and no request fails', async () => {
    const load = await Load.start(cluster.url, CLIENTS, PAUSE_MS)
    await load.more(5)
    load.pauseMs = 0
    assert.equal(await cluster.endOldest(), 0)
    load.pauseMs = PAUSE_MS
    await cluster.start()
    await load.more(5)
    await load.stop()
    assert.deepEqual(load.failures, [])
    const { shares } = cluster.balancer
    assert.equal(shares.length, 3)
    assert.ok(
      shares.every(share => share > 0),
      `requests of each process: ${shares.join(', ')}`,
    )
  })
})
