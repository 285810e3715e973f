import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { AffiliateTrial, fund, registerAdmin, sharedService, type Person, type TestService } from '#test'

let service: TestService
let trial: AffiliateTrial
let admin: Person
before(async () => {
  service = await sharedService()
  trial = new AffiliateTrial(service, await service.adminToken())
  admin = await registerAdmin(service)
})
after(() => service.close())

const HINT = 'An operator cannot decide about their own affiliate profile'

async function assertRefused(path: string, body: object = {}): Promise<void> {
  const answer = await service.http<{ hint: string }>('POST', path, { token: admin.token, body })
  assert.deepEqual([answer.status, answer.body.hint], [403, HINT], path)
}

test('an admin decides neither about their own affiliate profile nor about its commissions', async () => {
  const applied = await service.http<{ id: string; code: string }>('POST', '/affiliates/apply', {
    token: admin.token,
    body: { displayName: 'Admin Weekly', acceptTerms: true },
  })
  const { id, code } = applied.body
  const path = `/affiliates/admin/${id}`
  await assertRefused(`${path}/review`, { decision: 'approve' })
  await trial.decide(`${path}/review`, { decision: 'approve' })
  await assertRefused(`${path}/commission-plan`, { rateBps: 3500 })
  await trial.decide(`${path}/suspend`)
  await assertRefused(`${path}/reactivate`)
  await trial.decide(`${path}/reactivate`)
  const market = { ...(await trial.market({ code })), buyer: admin }
  await fund(service, admin, 200)
  const own = await service.http<{ id: string }>('POST', '/agents', {
    token: admin.token,
    body: { name: 'Own' },
  })
  const deal = await trial.delivered(market, { referrerAgentId: own.body.id })
  await trial.release(market, deal)
  const [held] = await service.services.db.rows<{ id: string; status: string }>(
    sql`select id, status from affiliates_commission where escrow_id = ${deal.escrowId}`,
  )
  assert.equal(held?.status, 'FRAUD_HOLD')
  await assertRefused(`/affiliates/admin/commissions/${held.id}/clear`)
  await assertRefused(`/affiliates/admin/commissions/${held.id}/confirm-fraud`)
  await trial.decide(`/affiliates/admin/commissions/${held.id}/confirm-fraud`)
})
