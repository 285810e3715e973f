import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordQueries, registerHuman, sharedService, type TestService } from '#test'
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

test('a page of bought runs reads the newest ones of the account, not all of them', async () => {
  const { id, token } = await registerHuman(service)
  const { queries } = await recordQueries(() => service.http('GET', '/agents/my-runs?limit=5', { token }))
  const page = queries.find(({ text }) => /from runs_run[^]*order by id desc/.test(text))
  assert.ok(page)
  const plan = await planOf(service, { text: page.text, values: [id, 5, 5, 0], name: 'page' })
  assert.match(plan, /Index (?:Only )?Scan using runs_run_buyer on runs_run/, plan)
  assert.doesNotMatch(plan, /Bitmap|Seq Scan/, plan)
})
