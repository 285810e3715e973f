import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { planOf } from '../../../test/support/database/plan.ts'
import { runsOf, waitingRunsOf } from './sql.ts'

const ID = '0198c0de-0000-7000-8000-0000000000b1'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('the inbox of an agent reads its open runs alone', async () => {
  const plan = await planOf(service, waitingRunsOf(ID, 20))
  assert.match(plan, /runs_run_waiting/)
  assert.doesNotMatch(plan, /Filter:|Sort/)
})

test('the deletion of an account reads its runs alone', async () => {
  const plan = await planOf(service, runsOf([ID]))
  for (const index of ['runs_run_organization', 'runs_run_buyer', 'runs_run_agent', 'agents_agent_owner'])
    assert.match(plan, new RegExp(`${index}\\b`))
  assert.doesNotMatch(plan, /Seq Scan/)
})
