import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { connectBank, publishAgent, registerHuman, sharedService, type TestService } from '#test'

let service: TestService
let admin: string
before(async () => {
  service = await sharedService()
  admin = await service.adminToken()
})
after(() => service.close())

const credit = (walletId: string, amount: number | string) =>
  service.http<{ code: string }>('POST', '/wallets/admin/test-credit', {
    token: admin,
    body: { walletId, amount, reason: 'test' },
  })
const testBalance = (walletId: string) => balanceOf(service.services.db, accounts.testCredit(walletId), 'USD')

test('rejects test credit to deleted accounts, also during the deletion', async () => {
  const gone = await registerHuman(service)
  assert.equal((await service.http('DELETE', '/users/me', { token: gone.token })).status, 204)
  const refused = await credit(gone.walletId, 5)
  assert.deepEqual(
    [refused.status, refused.body.code, await testBalance(gone.walletId)],
    [404, 'WALLET_NOT_FOUND', 0n],
  )
  for (let round = 0; round < 5; round++) {
    const person = await registerHuman(service)
    const [, ...answers] = await Promise.all([
      service.http('DELETE', '/users/me', { token: person.token }),
      ...Array.from({ length: 6 }, () => credit(person.walletId, 5)),
    ])
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 404),
      answers.map(({ status }) => status).join(),
    )
    assert.equal(await testBalance(person.walletId), 0n)
  }
})

test('limits the test credit of a wallet', async () => {
  const person = await registerHuman(service)
  assert.equal((await credit(person.walletId, '999999999.5')).status, 201)
  const answers = await Promise.all(Array.from({ length: 4 }, () => credit(person.walletId, '0.3')))
  assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['201', '400', '400', '400'])
  assert.equal((await credit(person.walletId, 1)).body.code, 'TEST_CREDIT_LIMIT')
})

test('test credit can never be paid out: by transfer, voucher, plan, payout or deletion', async () => {
  const [ada, bob] = [await registerHuman(service), await registerHuman(service)]
  const agent = await publishAgent(service, ada)
  for (const { walletId } of [ada, agent]) assert.equal((await credit(walletId, 100)).status, 201)
  for (const { token } of [ada, bob]) await connectBank(service, token)
  await connectBank(service, ada.token, { agentId: agent.id })
  const ask = (path: string, body: object, { token } = ada) =>
    service.http<{ message: string }>('POST', path, { token, body })

  const moved = await ask(`/wallets/${ada.walletId}/transfer`, { toWalletId: bob.walletId, amount: 40 })
  assert.equal(moved.status, 201)
  const { body: received } = await service.http<{ withdrawable: string; testBalance: string }>(
    'GET',
    `/wallets/${bob.walletId}`,
    { token: bob.token },
  )
  assert.deepEqual([received.withdrawable, received.testBalance], ['0.00', '40.00'])

  const exits = [
    ask('/wallet-vouchers', { walletId: ada.walletId, amount: 10 }),
    ask('/subscriptions/checkout', { rail: 'wallet' }),
    ask('/payouts/user/request', { amount: 10 }),
    ask('/payouts/user/request', { amount: 10 }, bob),
    ask('/payouts/request', { agentId: agent.id, amount: 10 }),
    ask('/payouts/agent-to-user', { agentId: agent.id, amount: 10 }),
  ]
  for (const { status, body } of await Promise.all(exits))
    assert.deepEqual([status, body.message], [400, 'Insufficient balance'])

  const unclaimed = () => balanceOf(service.services.db, accounts.unclaimed, 'USD')
  const before = await unclaimed()
  assert.equal((await service.http('DELETE', '/users/me', { token: ada.token })).status, 204)
  assert.deepEqual([await unclaimed(), await testBalance(ada.walletId)], [before, 0n])
})
