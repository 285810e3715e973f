import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { fund, registerHuman, sharedService, type Person, type TestService } from '#test'
import { accounts, balanceOf } from '#ledger'
import { reserveExactly, routingKey, usageRecord } from '../../../../../test/support/gateway/funds.ts'
import { createFunds } from '../index.ts'

interface Balance {
  balance: string
  leased: string
  testCredit: string
  testCreditLeased: string
}
type Refusal = { message: string; hint?: string }

suite('the routing balance', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const post = (path: string, { token }: Person, body: object, key?: string) =>
    service.http<Balance & Refusal & { id: string; test: boolean }>('POST', path, {
      token,
      body,
      headers: key ? { 'idempotency-key': key } : {},
    })
  const topUp = (person: Person, body: object, key?: string) => post('/v1/wallet/topup', person, body, key)
  const balance = async ({ token }: Person) =>
    (await service.http<Balance>('GET', '/v1/wallet/balance', { token })).body
  const rich = async (amount = 10) => {
    const person = await registerHuman(service)
    await fund(service, person, amount)
    return person
  }

  test('is topped up from a wallet, once for each Idempotency-Key', async () => {
    const person = await rich()
    const first = await topUp(person, { amount: '4.5', sourceWalletId: person.walletId }, 'topup-1')
    assert.deepEqual([first.status, first.body.balance, first.body.test], [200, '4.50', false])
    const replay = await topUp(person, { amount: '4.5', sourceWalletId: person.walletId }, 'topup-1')
    assert.equal(replay.body.id, first.body.id)
    const refused = await topUp(person, { amount: 6 })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Insufficient balance'])
    assert.deepEqual(await balance(person), {
      currency: 'USD',
      balance: '4.50',
      leased: '0.00',
      testCredit: '0.00',
      testCreditLeased: '0.00',
    })
    const { body } = await service.http('GET', '/v1/auth/keys/wallet/balance', { token: person.token })
    assert.deepEqual(body, await balance(person))
  })

  test('takes test credit if it covers all of the amount', async () => {
    const person = await rich()
    const body = { walletId: person.walletId, amount: 3, reason: 'test' }
    await service.http('POST', '/wallets/admin/test-credit', { token: await service.adminToken(), body })
    assert.equal((await topUp(person, { amount: 4 })).body.test, false)
    assert.equal((await topUp(person, { amount: 3 })).body.test, true)
    const { balance: real, testCredit } = await balance(person)
    assert.deepEqual([real, testCredit], ['4.00', '3.00'])
  })

  test('refuses wallets of other owners and currencies', async () => {
    const [person, other] = [await rich(), await rich()]
    assert.equal((await topUp(person, { amount: 1, sourceWalletId: other.walletId })).status, 403)
    assert.equal((await topUp(person, { amount: 1, sourceWalletId: person.id })).status, 404)
    assert.equal((await topUp(person, { amount: 0 })).status, 400)
    const usdc = await service.http<{ id: string }>('POST', '/wallets', {
      token: person.token,
      body: { currency: 'USDC' },
    })
    const refused = await topUp(person, { amount: 1, sourceWalletId: usdc.body.id })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Currency mismatch'])
    for (const path of ['/v1/wallet/withdraw']) {
      assert.equal((await post(path, person, { amount: 1, targetWalletId: other.walletId })).status, 403)
      assert.equal((await post(path, person, { amount: 1, targetWalletId: person.id })).status, 404)
    }
  })

  test('returns to the wallet what no request has reserved', async () => {
    const person = await rich()
    await topUp(person, { amount: 10 })
    const funds = createFunds(service.services)
    const reservation = await reserveExactly(funds, routingKey(person.id), 2_000_000n, { test: false })
    const { balance: shown, leased } = await balance(person)
    assert.deepEqual([shown, leased], ['10.00', '2.00'])
    const refused = await post('/v1/wallet/withdraw', person, { amount: '8.000001' })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Insufficient balance'])
    const returned = await post('/v1/wallet/withdraw', person, { amount: 8 })
    assert.deepEqual([returned.status, returned.body.balance], [200, '2.00'])
    reservation.release()
    await funds.stop()
    assert.equal((await balance(person)).leased, '0.00')
    assert.equal((await post('/v1/wallet/withdraw', person, { amount: 2 })).status, 200)
    assert.equal(await balanceOf(service.services.db, accounts.wallet(person.walletId), 'USD'), 10_000_000n)
  })

  test('leaves with the rest when its account is deleted, leases included', async () => {
    const { db } = service.services
    const person = await rich()
    await topUp(person, { amount: 10 })
    const funds = createFunds(service.services)
    const key = routingKey(person.id)
    const reservation = await reserveExactly(funds, key, 1_000_000n, { test: false })
    const before = await balanceOf(db, accounts.unclaimed, 'USD')
    const deleted = await service.http('DELETE', '/users/me', {
      token: person.token,
      body: { confirmPhrase: 'DELETE MY ACCOUNT' },
    })
    assert.equal(deleted.status, 204, deleted.text)
    assert.ok((await balanceOf(db, accounts.unclaimed, 'USD')) >= before + 10_000_000n)
    // The platform bears the request that was under way.
    reservation.settle(usageRecord(key, 900_000n, { simulated: false }))
    await funds.stop()
    assert.equal(await balanceOf(db, accounts.routing(person.id), 'USD'), 0n)
  })
})
