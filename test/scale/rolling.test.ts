import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '#test'
import { Cluster } from './cluster.ts'
import { Load } from './load.ts'

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

  test('a rolling restart under load fails no request', async () => {
    const load = await Load.start(cluster.url, 4)
    await load.more(10)
    assert.deepEqual(await cluster.restartAll(), [0, 0])
    await load.more(10)
    await load.stop()
    assert.deepEqual(load.failures, [])
    const { shares } = cluster.balancer
    assert.equal(shares.length, 4)
    assert.ok(
      shares.every(share => share > 0),
      `requests of each process: ${shares.join(', ')}`,
    )
  })
})
