import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLog } from '#platform/adapters/log/log'
import { sql } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../../test/support/database/db.ts'
import { lastResult, runIfDue } from './task.ts'

let t: TestDb
before(async () => {
  t = await openTestDb()
})
after(() => t.close())

const log = createLog('silent')
const run = (name: string, work: () => Promise<unknown>) =>
  runIfDue(t.db, log, { name, everyMs: 60_000, run: work })
const makeDue = (name: string) =>
  t.db.run(sql`update platform_task set due_at = now() - interval '1 second' where name = ${name}`)

test("a task runs on one of several instances, once a period, and its result is everybody's", async () => {
  assert.equal(await run('one', async () => 1), false, 'the first period has just begun')
  assert.equal(await lastResult(t.db, 'one'), undefined)
  await makeDue('one')
  let runs = 0
  const all = await Promise.all(Array.from({ length: 8 }, () => run('one', async () => ({ run: ++runs }))))
  assert.deepEqual([all.filter(Boolean).length, runs, await lastResult(t.db, 'one')], [1, 1, { run: 1 }])
  assert.equal(await run('one', async () => 2), false)
})

test('a run whose process died is taken up again when its lease has expired', async () => {
  await run('died', async () => 1)
  await t.db.run(
    sql`update platform_task set due_at = now(), leased_until = now() + interval '1 minute' where name = 'died'`,
  )
  assert.equal(await run('died', async () => 1), false)
  await t.db.run(sql`update platform_task set leased_until = now() - interval '1 second' where name = 'died'`)
  assert.equal(await run('died', async () => 1), true)
})

test('a run that fails keeps the last result and is due again', async () => {
  await run('fails', async () => 1)
  await makeDue('fails')
  await run('fails', async () => 'good')
  await makeDue('fails')
  assert.equal(
    await run('fails', async () => {
      throw new Error('no')
    }),
    true,
  )
  assert.equal(await lastResult(t.db, 'fails'), 'good')
  await makeDue('fails')
  assert.equal(await run('fails', async () => 'better'), true)
  assert.equal(await lastResult(t.db, 'fails'), 'better')
})
