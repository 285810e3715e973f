import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Statement } from '#platform/kernel/sql'
import { sharedService, type TestService } from '#test'
import { runsOf, waitingRunsOf } from './sql.ts'

const ID = '0198c0de-0000-7000-8000-0000000000b1'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

/** How the database runs a statement where reading a whole table is the last resort. */
async function planOf({ text, values }: Statement<unknown>): Promise<string> {
  const client = await service.services.db.pool.connect()
  try {
    await client.query('set enable_seqscan = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values])
    return rows.map(row => row['QUERY PLAN']).join('\n')
  } finally {
    client.release(true)
  }
}

test('the inbox of an agent reads its open runs alone', async () => {
  const plan = await planOf(waitingRunsOf(ID, 20))
  assert.match(plan, /runs_run_waiting/)
  assert.doesNotMatch(plan, /Filter:|Sort/)
})

test('the deletion of an account reads its runs alone', async () => {
  const plan = await planOf(runsOf([ID]))
  for (const index of ['runs_run_organization', 'runs_run_buyer', 'runs_run_agent', 'agents_agent_owner'])
    assert.match(plan, new RegExp(`${index}\\b`))
  assert.doesNotMatch(plan, /Seq Scan/)
})
