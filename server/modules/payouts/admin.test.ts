import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectBank, fund, mailTo, registerHuman, sharedService, type TestService } from '#test'

interface Payouts {
  items: {
    id: string
    status: string
    amount: string
    accountId: string
    ownerType: string
    approvalId: string
  }[]
}

let service: TestService
let token: string
before(async () => {
  service = await sharedService()
  token = await service.adminToken()
})
after(() => service.close())

test('lists payouts in review with the approval that decides them; a rejected one is mailed to its owner', async () => {
  const ada = await registerHuman(service)
  await connectBank(service, ada.token)
  await fund(service, ada, 1001)
  const requested = await service.http<{ id: string }>('POST', '/payouts/user/request', {
    token: ada.token,
    body: { amount: 1001 },
  })
  const list = async (query: string) =>
    (await service.http<Payouts>('GET', `/admin/payouts?${query}`, { token })).body.items.find(
      ({ id }) => id === requested.body.id,
    )
  const found = await list('status=REVIEW&limit=100')
  assert.deepEqual(
    [found?.status, found?.amount, found?.accountId, found?.ownerType],
    ['REVIEW', '1001.00', ada.id, 'USER'],
  )
  assert.equal(await list('status=PAID&limit=100'), undefined)
  const decided = await service.http('POST', `/admin/approvals/${found?.approvalId}/reject`, {
    token,
    body: { reason: 'Unknown bank' },
  })
  assert.equal(decided.status, 200)
  assert.equal((await list('limit=100'))?.status, 'CANCELED')
  await mailTo(
    service,
    ada.email,
    /payout of 1001.00 USD was canceled. Reason: The review rejected the payout/,
  )
})

test('refuses an unknown state with 400', async () => {
  assert.equal((await service.http('GET', '/admin/payouts?status=LOST', { token })).status, 400)
})
