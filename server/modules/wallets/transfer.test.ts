import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { auditTrail } from '#platform/kernel/audit'
import { newId } from '#platform/kernel/id'
import { fund, registerHuman, sharedService, type Person, type TestService } from '#test'

interface Wallet {
  id: string
  ownerType: string
  ownerId: string
  currency: string
  isDefault: boolean
  balance: string
  reserved: string
  available: string
  withdrawable: string
  testBalance: string
  walletType: string
  cryptoAddress: string
  cryptoNetwork: string
  wallets: Wallet[]
}
interface Transaction {
  id: string
  type: string
  direction: string
  amount: string
  test: boolean
  balanceAfter: string
  counterpart: string
  memo: string | null
}
interface Moved {
  wallet: Wallet
  transaction: Transaction
}
type Refusal = { message: string | string[]; hint?: string }

const textOf = ({ message }: Refusal): string => (typeof message === 'string' ? message : message.join())
const NOBODY = newId()
let service: TestService
let admin: string
let ada: Person
let bob: Person

before(async () => {
  service = await sharedService()
  admin = await service.adminToken()
  ada = await registerHuman(service)
  bob = await registerHuman(service)
})
after(() => service.close())

const read = async (person: Person, id = person.walletId) =>
  (await service.http<Wallet>('GET', `/wallets/${id}`, { token: person.token })).body
const create = (person: Person, body: unknown = {}) =>
  service.http<Wallet & Refusal>('POST', '/wallets', { token: person.token, body })
const send = (person: Person, body: unknown, from = person.walletId) =>
  service.http<Moved & Refusal>('POST', `/wallets/${from}/transfer`, { token: person.token, body })
const credit = (walletId: string, amount: number | string) =>
  service.http<Moved & Refusal>('POST', '/wallets/admin/test-credit', {
    token: admin,
    body: { walletId, amount, reason: 'a trial' },
  })
const statement = async (person: Person, query = '') =>
  (
    await service.http<{ items: Transaction[]; total: number }>(
      'GET',
      `/wallets/${person.walletId}/transactions${query}`,
      { token: person.token },
    )
  ).body

describe('test credit', () => {
  test('is spendable, not withdrawable, and issued by admins only', async () => {
    const person = await registerHuman(service)
    const { status, body } = await credit(person.walletId, '12.50')
    assert.equal(status, 201)
    assert.deepEqual(
      [body.wallet.available, body.wallet.withdrawable, body.wallet.testBalance, body.transaction.test],
      ['12.50', '0.00', '12.50', true],
    )
    assert.equal(
      (
        await service.http('POST', '/wallets/admin/test-credit', {
          token: person.token,
          body: { walletId: person.walletId, amount: 1, reason: 'x' },
        })
      ).status,
      403,
    )
    assert.equal((await credit(NOBODY, 1)).status, 404)
    for (const amount of [0, -1, '1.0000001', 'x', 1e-7, 1e21])
      assert.equal((await credit(person.walletId, amount)).status, 400, String(amount))
  })

  test('pays an amount in full or not at all: test credit never mixes with money', async () => {
    const person = await registerHuman(service)
    await fund(service, person, 10)
    await credit(person.walletId, 5)
    const both = await send(person, { toWalletId: bob.walletId, amount: 12 })
    assert.deepEqual([both.status, both.body.message], [400, 'Insufficient balance'])
    const test = await send(person, { toWalletId: bob.walletId, amount: 5 })
    assert.deepEqual(
      [test.body.transaction.test, test.body.wallet.withdrawable, test.body.wallet.testBalance],
      [true, '10.00', '0.00'],
    )
    const real = await send(person, { toWalletId: bob.walletId, amount: 4 })
    assert.deepEqual([real.body.transaction.test, real.body.wallet.withdrawable], [false, '6.00'])
  })
})

describe('a transfer', () => {
  test('by username reaches the default wallet', async () => {
    const username = `scribe_${newId().slice(-8)}`
    const agent = await service.http<{ user: { id: string }; accessToken: string }>(
      'POST',
      '/auth/register-agent',
      { body: { username, walletType: 'managed' } },
    )
    assert.equal(agent.status, 201, agent.text)
    const person = await registerHuman(service)
    await fund(service, person, 3)
    const sent = await send(person, { toUsername: username.toUpperCase(), amount: '1.25', memo: 'thanks' })
    assert.deepEqual(
      [sent.status, sent.body.wallet.available, sent.body.transaction.memo],
      [201, '1.75', 'thanks'],
    )
    const got = await service.http<Wallet>('GET', `/wallets/user/${agent.body.user.id}`, {
      token: agent.body.accessToken,
    })
    assert.equal(got.body.available, '1.25')
    assert.equal((await send(person, { toUsername: 'nobody_at_all', amount: 1 })).status, 404)
  })

  test('requires an access token; a key can only read wallets', async () => {
    const agent = await service.http<{ user: { id: string }; agentApiKey: string }>(
      'POST',
      '/auth/register-agent',
      {
        body: { username: `reader_${newId().slice(-8)}`, walletType: 'managed' },
      },
    )
    const token = agent.body.agentApiKey
    const wallet = await service.http<Wallet>('GET', `/wallets/user/${agent.body.user.id}`, { token })
    assert.equal(wallet.status, 200)
    assert.equal((await service.http('GET', `/wallets/${bob.walletId}`, { token })).status, 403)
    for (const action of ['transfer', 'fund']) {
      const answer = await service.http<Refusal>('POST', `/wallets/${wallet.body.id}/${action}`, {
        token,
        body: { toWalletId: bob.walletId, amount: 1 },
      })
      assert.deepEqual([answer.status, textOf(answer.body).split(':')[0]], [400, 'Invalid auth type'])
    }
  })

  test('is rejected for an invalid receiver, currency or sender', async () => {
    const usdc = await create(ada, { currency: 'USDC' })
    const refused = async (status: number, message: string, body: object, from?: string) => {
      const answer = await send(ada, { amount: 1, ...body }, from)
      assert.deepEqual([answer.status, textOf(answer.body).split(':')[0]], [status, message])
    }
    await refused(400, 'Cannot transfer to the same wallet', { toWalletId: ada.walletId })
    await refused(400, 'Currency mismatch', { toWalletId: usdc.body.id })
    await refused(403, 'Forbidden', { toWalletId: ada.walletId }, bob.walletId)
    await refused(404, 'Wallet not found', { toWalletId: NOBODY })
    await refused(404, 'Wallet not found', { toWalletId: bob.walletId }, NOBODY)
    await refused(400, 'send either toWalletId or toUsername', {})
    await refused(400, 'send either toWalletId or toUsername', { toWalletId: bob.walletId, toUsername: 'x' })
    await refused(400, 'Insufficient balance', { toWalletId: bob.walletId, amount: 1_000_000_000 })
    for (const amount of [0, -1, '', '1e3', '0.0000001', null, 1_000_000_001]) {
      assert.equal((await send(ada, { toWalletId: bob.walletId, amount })).status, 400, String(amount))
    }
  })

  test('transfers between any two wallets for an admin, and audits it', async () => {
    const [from, to] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, from, 9)
    const body = {
      fromWalletId: from.walletId,
      toWalletId: to.walletId,
      amount: 4,
      reason: 'a mistake put right',
    }
    assert.equal((await service.http('POST', '/wallets/transfer', { token: from.token, body })).status, 403)
    const moved = await service.http<Moved>('POST', '/wallets/transfer', { token: admin, body })
    assert.deepEqual(
      [moved.status, moved.body.wallet.available, (await read(to)).available],
      [201, '5.00', '4.00'],
    )
    const { events } = await auditTrail(
      service.services.db,
      { action: 'wallet.admin_transfer', targetId: from.walletId },
      { limit: 5, offset: 0 },
    )
    assert.deepEqual(
      events.map(({ details }) => (details as { reason?: string }).reason),
      ['a mistake put right'],
    )
    assert.equal(
      (
        await service.http('POST', '/wallets/transfer', {
          token: admin,
          body: { ...body, reason: undefined },
        })
      ).status,
      400,
    )
  })
})

test('lists every movement with the balance after it, newest first', async () => {
  const person = await registerHuman(service)
  await fund(service, person, 20)
  await send(person, { toWalletId: bob.walletId, amount: 5, memo: 'first' })
  await send(person, { toWalletId: bob.walletId, amount: '2.5', memo: 'second' })
  const { items, total } = await statement(person)
  assert.equal(total, 3)
  assert.deepEqual(
    items.map(({ type, direction, amount, balanceAfter, memo }) => [
      type,
      direction,
      amount,
      balanceAfter,
      memo,
    ]),
    [
      ['transfer', 'OUT', '2.50', '12.50', 'second'],
      ['transfer', 'OUT', '5.00', '15.00', 'first'],
      ['fund', 'IN', '20.00', '20.00', null],
    ],
  )
  assert.equal(items[0]?.counterpart, `wallet ${bob.walletId}`)
  const page = await statement(person, '?limit=1&offset=1')
  assert.deepEqual([page.items.map(({ memo }) => memo), page.total], [['first'], 3])
  assert.equal((await statement(bob, '?limit=1')).items[0]?.balanceAfter !== undefined, true)
})
