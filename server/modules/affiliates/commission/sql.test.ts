import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { planOf } from '../../../../test/support/database/plan.ts'
import { commissionsWith, type Filter } from './sql.ts'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

const listPlan = (filter: Filter) => planOf(service, commissionsWith(filter, { limit: 20, offset: 0 }))

test('a page of all commissions reads the newest ones alone', async () => {
  const plan = await listPlan({ profileId: null, status: null })
  assert.match(plan, /Index Scan using affiliates_commission_newest/)
  assert.doesNotMatch(plan, /Sort|Filter:/)
})

test('a page of suspected commissions reads those alone', async () => {
  const plan = await listPlan({ profileId: null, status: 'FRAUD_HOLD' })
  assert.match(plan, /affiliates_commission_fraud_due/)
})
