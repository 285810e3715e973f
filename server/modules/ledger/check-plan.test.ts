import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accounts, openAccounts, post } from '#ledger'
import { patiently } from '#platform/kernel/database/patient'
import { newId } from '#platform/kernel/id'
import { part, sql } from '#platform/kernel/sql'
import { openTestDb } from '../../../test/support/database/db.ts'
import { journalRules } from './rules.ts'

interface PlanNode {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}
const rowsRead = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0)

it('reads each account once, however many entries it has, before its tables were ever analyzed', async context => {
  const charges = 600
  const { db, close } = await openTestDb()
  context.after(close)
  const wallet = accounts.wallet('w')
  await db.transaction(async tx => {
    await openAccounts(tx, [{ account: wallet, asset: 'USD' }])
    for (let n = 0; n < charges; n++)
      await post(tx, {
        kind: 'charge',
        key: newId(),
        legs: [
          { debit: accounts.processor, credit: wallet, amount: 2n, asset: 'USD' },
          { debit: wallet, credit: accounts.marketplaceFee, amount: 1n, asset: 'USD' },
        ],
      })
  })
  const scope = { journals: part`select id from ledger_journal`, last: true, full: true }
  for (const { name, statement } of journalRules) {
    const explain = sql<{
      'QUERY PLAN': { Plan: PlanNode }[]
    }>`explain (analyze, format json) ${statement(scope)}`
    const plan = await patiently(db, patient => patient.one(explain))
    const [explained] = Object.values(plan).flat() as { Plan: PlanNode }[]
    assert.ok(explained)
    // Four entries for each charge; with a search through the others it would be 100 times as many.
    assert.ok(rowsRead(explained.Plan) < 40 * charges, `${name}: ${rowsRead(explained.Plan)} rows`)
  }
})
