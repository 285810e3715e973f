import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { sharedService, type TestService } from '#test'
import { planOf } from '../../../../test/support/database/plan.ts'
import { attributionOf } from './sql.ts'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('why a deal has an affiliate is read from the commissions of its escrow alone', async () => {
  const plan = await planOf(service, attributionOf(newId(), newId()))
  assert.match(plan, /on affiliates_commission c[^\n]*\n\s+Index Cond: \(escrow_id = /)
})
