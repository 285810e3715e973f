import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { registerHuman, startTestService, type TestService } from '#test'

let service: TestService
let admin: string
before(async () => {
  service = await startTestService()
  admin = await service.adminToken()
})
after(() => service.close())

const credit = (walletId: string, amount: number | string) =>
  service.http<{ code: string }>('POST', '/wallets/admin/test-credit', { token: admin, body: { walletId, amount, reason: 'test' } })
const testBalance = (walletId: string) => balanceOf(service.services.db, accounts.testPurse(walletId), 'USD')

test('test credit goes to wallets of living accounts only, also while the account is being deleted', async () => {
  const gone = await registerHuman(service)
  assert.equal((await service.http('DELETE', '/users/me', { token: gone.token })).status, 204)
  const refused = await credit(gone.walletId, 5)
  assert.deepEqual([refused.status, refused.body.code, await testBalance(gone.walletId)], [404, 'WALLET_NOT_FOUND', 0n])
  for (let round = 0; round < 5; round++) {
    const person = await registerHuman(service)
    const [, ...answers] = await Promise.all([service.http('DELETE', '/users/me', { token: person.token }), ...Array.from({ length: 6 }, () => credit(person.walletId, 5))])
    assert.ok(answers.every(({ status }) => status === 201 || status === 404), answers.map(({ status }) => status).join())
    assert.equal(await testBalance(person.walletId), 0n)
  }
})

test('a wallet holds test credit up to a limit', async () => {
  const person = await registerHuman(service)
  assert.equal((await credit(person.walletId, '999999999.5')).status, 201)
  const answers = await Promise.all(Array.from({ length: 4 }, () => credit(person.walletId, '0.3')))
  assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['201', '400', '400', '400'])
  assert.equal((await credit(person.walletId, 1)).body.code, 'TEST_CREDIT_LIMIT')
})
