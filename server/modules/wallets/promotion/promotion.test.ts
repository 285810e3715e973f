import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  connectBank,
  registerAdmin,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Granted {
  wallet: { withdrawable: string; testBalance: string }
  transaction: { type: string; amount: string; memo: string } | null
  approval?: { id: string; status: string; kind: string }
  message: string
}

suite('promotions', () => {
  let service: TestService
  let admin: string
  let second: Person
  before(async () => {
    service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
    admin = await service.adminToken()
    second = await registerAdmin(service)
  })
  after(() => service.close())

  const grant = (walletId: string, amount: number | string, more: { token?: string; key?: string } = {}) =>
    service.http<Granted>('POST', '/admin/promotions', {
      token: more.token ?? admin,
      body: { walletId, amount, reason: 'Prize of the hackathon' },
      headers: more.key ? { 'idempotency-key': more.key } : {},
    })
  const expense = () => balanceOf(service.services.db, accounts.promotion, 'USD')

  test('are real money of the operator, once for each Idempotency-Key, and are audited', async () => {
    const person = await registerHuman(service)
    const before = await expense()
    const key = newId()
    for (let time = 0; time < 2; time++) {
      const { status, body, text } = await grant(person.walletId, 25, { key })
      assert.equal(status, 201, text)
      assert.deepEqual([body.wallet.withdrawable, body.wallet.testBalance], ['25.00', '0.00'])
      assert.deepEqual(
        [body.transaction?.type, body.transaction?.amount, body.transaction?.memo],
        ['promotion', '25.00', 'Prize of the hackathon'],
      )
    }
    assert.equal(before - (await expense()), 25_000_000n)
    const { body: log } = await service.http<{ items: { action: string }[] }>(
      'GET',
      `/admin/audit?targetId=${person.walletId}`,
      { token: admin },
    )
    assert.deepEqual(
      log.items.map(({ action }) => action),
      ['wallet.promotion'],
    )
    await connectBank(service, person.token)
    const payout = { token: person.token, body: { amount: 25 } }
    assert.equal((await service.http('POST', '/payouts/user/request', payout)).status, 201)
  })

  test('above the limit of a day wait for another admin', async () => {
    const person = await registerHuman(service)
    const { body, status } = await grant(person.walletId, '100.01')
    const { approval } = body
    assert.deepEqual(
      [status, body.transaction, body.wallet.withdrawable, approval?.status, approval?.kind],
      [201, null, '0.00', 'PENDING', 'wallet.promotion'],
    )
    const decide = (token: string) =>
      service.http('POST', `/admin/approvals/${approval?.id}/approve`, { token, body: {} })
    assert.equal((await decide(admin)).status, 403)
    const before = await expense()
    assert.equal((await decide(second.token)).status, 200)
    assert.equal(before - (await expense()), 100_010_000n)
    assert.equal(await balanceOf(service.services.db, accounts.wallet(person.walletId), 'USD'), 100_010_000n)
  })

  test('are refused to other currencies, unknown wallets and accounts that are no admin', async () => {
    const person = await registerHuman(service)
    const { token } = person
    const usdc = await service.http<{ id: string }>('POST', '/wallets', { token, body: { currency: 'USDC' } })
    const refused = await grant(usdc.body.id, 1)
    assert.deepEqual([refused.status, refused.body.message], [400, 'Currency mismatch'])
    assert.equal((await grant(newId(), 1)).status, 404)
    assert.equal((await grant(person.walletId, 0)).status, 400)
    assert.equal((await grant(person.walletId, 1, { token })).status, 403)
  })
})
