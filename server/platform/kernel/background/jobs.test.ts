import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { createLog } from '../../adapters/log/log.ts'
import { sql } from '../sql.ts'
import { Jobs } from './jobs.ts'

const outputOf = (number: number) =>
  sql<{ output: { message: string } }>`select output from jobs.job where data->>'number' = ${String(number)}`

suite('jobs that are taken in batches', () => {
  let t: TestDb
  let jobs: Jobs
  before(async () => {
    t = await openTestDb()
    jobs = new Jobs(t.db, createLog('silent'))
  })
  after(async () => {
    await jobs.stop()
    await t.close()
  })

  test('run at the same time; one that fails is tried again, and the others are not', async () => {
    const tries = new Map<number, number>()
    const again = Promise.withResolvers<{ output: { message: string } }>()
    let running = 0
    let most = 0
    jobs.define({
      name: 'test.batch',
      batch: 3,
      async handle({ number }) {
        most = Math.max(most, ++running)
        const count = (tries.get(Number(number)) ?? 0) + 1
        tries.set(Number(number), count)
        // Until all of the batch have begun.
        await new Promise(setImmediate)
        running--
        if (number === 2 && count === 1) throw new Error('the first try fails')
        // The end of this try replaces what the first one left.
        if (number === 2) again.resolve(await t.db.one(outputOf(2)))
      },
    })
    await jobs.start()
    await t.db.transaction(tx =>
      jobs.enqueueAll(
        tx,
        'test.batch',
        [1, 2, 3].map(number => ({ number })),
      ),
    )
    const { output } = await again.promise
    assert.equal(most, 3)
    assert.deepEqual(
      [...tries].toSorted(([a], [b]) => a - b),
      [
        [1, 1],
        [2, 2],
        [3, 1],
      ],
    )
    assert.equal(output.message, 'the first try fails')
  })
})
