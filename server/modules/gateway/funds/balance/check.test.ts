import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { part, sql } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '../../../../../test/support/database/db.ts'
import { fundsChecks } from './check.ts'

let opened: TestDb
before(async () => {
  opened = await openTestDb()
})
after(() => opened.close())

test('the usage of a lease is read by the index, not all usage for each posting', async () => {
  const rule = fundsChecks.find(({ name }) => name === 'every posting of usage is the sum of its usage rows')
  assert.ok(rule)
  const scope = { journals: part`select id from ledger_journal`, last: true, full: true }
  const plan = await opened.db.transaction(async tx => {
    await tx.run(sql`select set_config('enable_seqscan', 'off', true)`)
    const lines = await tx.rows<object>(sql`explain ${rule.statement(scope)}`)
    return lines.flatMap(line => Object.values(line)).join('\n')
  })
  assert.match(plan, /gateway_usage_lease[^\n]*\n\s+Index Cond: \(lease_id = \(\(j\.reference ->> 'leaseId'/)
})
