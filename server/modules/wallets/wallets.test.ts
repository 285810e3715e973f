import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HDKey, privateKeyToAddress } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'
import { createWallet } from '#wallets'
import { auditTrail } from '#platform/audit'
import { newId } from '#platform/id'
import { fund, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Wallet {
  id: string; ownerType: string; ownerId: string; currency: string; isDefault: boolean; balance: string; reserved: string; available: string
  withdrawable: string; testBalance: string; walletType: string; cryptoAddress: string; cryptoNetwork: string; wallets: Wallet[]
}
interface Transaction { id: string; type: string; direction: string; amount: string; test: boolean; balanceAfter: string; counterpart: string; memo: string | null }
interface Moved { wallet: Wallet; transaction: Transaction }
type Refusal = { message: string | string[]; hint?: string }

const textOf = ({ message }: Refusal): string => (typeof message === 'string' ? message : message.join())
const NOBODY = newId()
let service: TestService
let admin: string
let ada: Person
let bob: Person

before(async () => {
  service = await startTestService()
  admin = await service.adminToken()
  ada = await registerHuman(service)
  bob = await registerHuman(service)
})
after(() => service.close())

const read = async (person: Person, id = person.walletId) => (await service.http<Wallet>('GET', `/wallets/${id}`, { token: person.token })).body
const create = (person: Person, body: unknown = {}) => service.http<Wallet & Refusal>('POST', '/wallets', { token: person.token, body })
const send = (person: Person, body: unknown, from = person.walletId) => service.http<Moved & Refusal>('POST', `/wallets/${from}/transfer`, { token: person.token, body })
const credit = (walletId: string, amount: number | string) =>
  service.http<Moved & Refusal>('POST', '/wallets/admin/test-credit', { token: admin, body: { walletId, amount, reason: 'a trial' } })
const statement = async (person: Person, query = '') =>
  (await service.http<{ items: Transaction[]; total: number }>('GET', `/wallets/${person.walletId}/transactions${query}`, { token: person.token })).body
/** A wallet of an agent that `person` controls. */
const agentWallet = (person: Person, agentId: string) =>
  service.services.db.transaction(tx => createWallet(tx, { ownerType: 'AGENT', ownerId: agentId, accountId: person.id }))

describe('a wallet', () => {
  test('comes with every account, in dollars and empty', async () => {
    const { id, ownerType, ownerId, currency, isDefault, balance, available, withdrawable, testBalance, reserved, walletType } = await read(ada)
    assert.deepEqual({ id, ownerType, ownerId, currency, isDefault, walletType }, {
      id: ada.walletId, ownerType: 'USER', ownerId: ada.id, currency: 'USD', isDefault: true, walletType: 'MANAGED',
    })
    assert.deepEqual([balance, available, withdrawable, testBalance, reserved], Array.from({ length: 5 }, () => '0.00'))
  })

  test('is its owner\'s alone: another gets 403, nobody\'s is 404', async () => {
    for (const path of [`/wallets/${ada.walletId}`, `/wallets/${ada.walletId}/transactions`, `/wallets/user/${ada.id}`, `/wallets/user/${ada.id}/detail`]) {
      assert.equal((await service.http('GET', path, { token: bob.token })).status, 403, path)
      assert.equal((await service.http('GET', path, { token: ada.token })).status, 200, path)
      assert.equal((await service.http('GET', path)).status, 401, path)
    }
    for (const id of [NOBODY, 'not-an-id', '%00']) {
      assert.equal((await service.http('GET', `/wallets/${id}`, { token: ada.token })).status, 404, id)
      assert.equal((await service.http('GET', `/wallets/user/${id}`, { token: ada.token })).status, 404, id)
      assert.equal((await service.http('GET', `/wallets/agent/${id}`, { token: ada.token })).status, 404, id)
    }
  })

  test('of an agent is its controller\'s', async () => {
    const agentId = newId()
    const { id } = await agentWallet(ada, agentId)
    const own = await service.http<Wallet>('GET', `/wallets/agent/${agentId}`, { token: ada.token })
    assert.deepEqual([own.status, own.body.id, own.body.wallets.length], [200, id, 1])
    assert.equal((await service.http('GET', `/wallets/agent/${agentId}`, { token: bob.token })).status, 403)
    const mine = await service.http<{ items: Wallet[]; total: number }>('GET', '/wallets/my-agents', { token: ada.token })
    assert.deepEqual([mine.body.items.map(wallet => wallet.id), mine.body.total], [[id], 1])
    assert.equal((await service.http<{ total: number }>('GET', '/wallets/my-agents', { token: bob.token })).body.total, 0)
    const detail = await service.http<{ agentWallets: Wallet[] }>('GET', `/wallets/user/${ada.id}/detail`, { token: ada.token })
    assert.deepEqual(detail.body.agentWallets.map(wallet => wallet.id), [id])
  })
})

describe('POST /wallets', () => {
  test('takes an empty body: one more dollar wallet, not the default', async () => {
    const { status, body } = await create(bob)
    assert.deepEqual([status, body.currency, body.isDefault, body.ownerId], [201, 'USD', false, bob.id])
    assert.equal((await service.http<Wallet>('GET', `/wallets/user/${bob.id}`, { token: bob.token })).body.id, bob.walletId)
  })

  test('the first of another currency is the default for it, of several at once exactly one', async () => {
    const person = await registerHuman(service)
    const made = await Promise.all(Array.from({ length: 6 }, () => create(person, { currency: 'USDC' })))
    assert.deepEqual(made.map(answer => answer.status), Array.from({ length: 6 }, () => 201))
    assert.equal(made.filter(answer => answer.body.isDefault).length, 1)
  })

  test('keeps an address of one\'s own in checksum form and refuses what is none', async () => {
    const cryptoAddress = '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'
    for (const given of [cryptoAddress, cryptoAddress.toLowerCase()]) {
      const { status, body } = await create(bob, { walletType: 'own', cryptoAddress: given })
      assert.deepEqual([status, body.walletType, body.cryptoAddress], [201, 'PROVIDED', cryptoAddress])
    }
    for (const given of [undefined, '0x12', 'x', cryptoAddress.replace('C5', 'c5'), `${cryptoAddress}0`]) {
      const { status, body } = await create(bob, { walletType: 'PROVIDED', cryptoAddress: given })
      assert.deepEqual([status, textOf(body).split(':')[0]], [400, 'Invalid wallet address'], String(given))
    }
    assert.equal((await create(bob, { walletType: 'MANAGED', cryptoAddress })).status, 400)
  })

  test('makes wallets for the caller and the caller\'s agents only', async () => {
    const agentId = newId()
    await agentWallet(ada, agentId)
    assert.equal((await create(ada, { ownerType: 'AGENT', ownerId: agentId, currency: 'USDC' })).status, 201)
    assert.equal((await create(bob, { ownerType: 'AGENT', ownerId: agentId })).status, 403)
    assert.equal((await create(bob, { ownerType: 'AGENT', ownerId: NOBODY })).status, 404)
    assert.equal((await create(bob, { ownerType: 'AGENT' })).status, 404)
    assert.equal((await create(bob, { ownerId: ada.id })).status, 403)
    assert.equal((await create(bob, { ownerType: 'ORGANIZATION' })).status, 404)
    for (const body of [{ ownerType: 'BANK' }, { currency: 'EUR' }, { balance: 5 }, []]) assert.equal((await create(bob, body)).status, 400)
  })
})

test('managed addresses come from the sealed seed, each once', async () => {
  const wallets = await Promise.all(Array.from({ length: 5 }, () => create(bob)))
  const addresses = wallets.map(({ body }) => body.cryptoAddress)
  assert.equal(new Set(addresses).size, 5)
  const { db, secrets } = service.services
  const tree = HDKey.fromMasterSeed(Buffer.from(await secrets.stored(db, 'wallets/seed', () => ''), 'hex')).derive("m/44'/60'/0'/0")
  const spendable = Array.from({ length: 100 }, (_, index) => privateKeyToAddress(bytesToHex(tree.deriveChild(index).privateKey ?? new Uint8Array())))
  for (const address of addresses) assert.ok((spendable as string[]).includes(address), 'the private key of the address follows from the seed')
})

describe('test credit', () => {
  test('is spendable, never withdrawable, and only an admin\'s to give', async () => {
    const person = await registerHuman(service)
    const { status, body } = await credit(person.walletId, '12.50')
    assert.equal(status, 201)
    assert.deepEqual([body.wallet.available, body.wallet.withdrawable, body.wallet.testBalance, body.transaction.test], ['12.50', '0.00', '12.50', true])
    assert.equal((await service.http('POST', '/wallets/admin/test-credit', { token: person.token, body: { walletId: person.walletId, amount: 1, reason: 'x' } })).status, 403)
    assert.equal((await credit(NOBODY, 1)).status, 404)
    for (const amount of [0, -1, '1.0000001', 'x', 1e-7, 1e21]) assert.equal((await credit(person.walletId, amount)).status, 400, String(amount))
  })

  test('never mixes with real money: it pays when it covers all of it, else real money does', async () => {
    const person = await registerHuman(service)
    await fund(service, person, 10)
    await credit(person.walletId, 5)
    const both = await send(person, { toWalletId: bob.walletId, amount: 12 })
    assert.deepEqual([both.status, both.body.message], [400, 'Insufficient balance'])
    const test = await send(person, { toWalletId: bob.walletId, amount: 5 })
    assert.deepEqual([test.body.transaction.test, test.body.wallet.withdrawable, test.body.wallet.testBalance], [true, '10.00', '0.00'])
    const real = await send(person, { toWalletId: bob.walletId, amount: 4 })
    assert.deepEqual([real.body.transaction.test, real.body.wallet.withdrawable], [false, '6.00'])
  })
})

describe('a transfer', () => {
  test('by username reaches the default wallet', async () => {
    const username = `scribe_${newId().slice(-8)}`
    const agent = await service.http<{ user: { id: string }; accessToken: string }>('POST', '/auth/register-agent', { body: { username, walletType: 'managed' } })
    assert.equal(agent.status, 201, agent.text)
    const person = await registerHuman(service)
    await fund(service, person, 3)
    const sent = await send(person, { toUsername: username.toUpperCase(), amount: '1.25', memo: 'thanks' })
    assert.deepEqual([sent.status, sent.body.wallet.available, sent.body.transaction.memo], [201, '1.75', 'thanks'])
    const got = await service.http<Wallet>('GET', `/wallets/user/${agent.body.user.id}`, { token: agent.body.accessToken })
    assert.equal(got.body.available, '1.25')
    assert.equal((await send(person, { toUsername: 'nobody_at_all', amount: 1 })).status, 404)
  })

  test('takes an access token, never a key; a key reads its account\'s wallets', async () => {
    const agent = await service.http<{ user: { id: string }; agentApiKey: string }>('POST', '/auth/register-agent', {
      body: { username: `reader_${newId().slice(-8)}`, walletType: 'managed' },
    })
    const token = agent.body.agentApiKey
    const wallet = await service.http<Wallet>('GET', `/wallets/user/${agent.body.user.id}`, { token })
    assert.equal(wallet.status, 200)
    assert.equal((await service.http('GET', `/wallets/${bob.walletId}`, { token })).status, 403)
    for (const act of ['transfer', 'fund']) {
      const answer = await service.http<Refusal>('POST', `/wallets/${wallet.body.id}/${act}`, { token, body: { toWalletId: bob.walletId, amount: 1 } })
      assert.deepEqual([answer.status, textOf(answer.body).split(':')[0]], [400, 'Invalid auth type'])
    }
  })

  test('is refused to the same wallet, to another currency, from another\'s, to nobody, without one receiver', async () => {
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
    await refused(400, 'give either toWalletId or toUsername', {})
    await refused(400, 'give either toWalletId or toUsername', { toWalletId: bob.walletId, toUsername: 'x' })
    await refused(400, 'Insufficient balance', { toWalletId: bob.walletId, amount: 1_000_000_000 })
    for (const amount of [0, -1, '', '1e3', '0.0000001', null, 1_000_000_001]) {
      assert.equal((await send(ada, { toWalletId: bob.walletId, amount })).status, 400, String(amount))
    }
  })

  test('by an admin moves between any two wallets and stands in the audit log', async () => {
    const [from, to] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, from, 9)
    const body = { fromWalletId: from.walletId, toWalletId: to.walletId, amount: 4, reason: 'a mistake put right' }
    assert.equal((await service.http('POST', '/wallets/transfer', { token: from.token, body })).status, 403)
    const moved = await service.http<Moved>('POST', '/wallets/transfer', { token: admin, body })
    assert.deepEqual([moved.status, moved.body.wallet.available, (await read(to)).available], [201, '5.00', '4.00'])
    const { events } = await auditTrail(service.services.db, { action: 'wallet.admin_transfer', targetId: from.walletId }, { limit: 5, offset: 0 })
    assert.deepEqual(events.map(({ details }) => (details as { reason?: string }).reason), ['a mistake put right'])
    assert.equal((await service.http('POST', '/wallets/transfer', { token: admin, body: { ...body, reason: undefined } })).status, 400)
  })
})

test('a statement shows every movement, newest first, with what stood after it', async () => {
  const person = await registerHuman(service)
  await fund(service, person, 20)
  await send(person, { toWalletId: bob.walletId, amount: 5, memo: 'first' })
  await send(person, { toWalletId: bob.walletId, amount: '2.5', memo: 'second' })
  const { items, total } = await statement(person)
  assert.equal(total, 3)
  assert.deepEqual(items.map(({ type, direction, amount, balanceAfter, memo }) => [type, direction, amount, balanceAfter, memo]), [
    ['transfer', 'OUT', '2.50', '12.50', 'second'], ['transfer', 'OUT', '5.00', '15.00', 'first'], ['fund', 'IN', '20.00', '20.00', null],
  ])
  assert.equal(items[0]?.counterpart, `wallet ${bob.walletId}`)
  const page = await statement(person, '?limit=1&offset=1')
  assert.deepEqual([page.items.map(({ memo }) => memo), page.total], [['first'], 3])
  assert.equal((await statement(bob, '?limit=1')).items[0]?.balanceAfter !== undefined, true)
})

test('production has no test credit and says so', async () => {
  const production = await startTestService({
    SVC_MODE: 'production', PUBLIC_URL: 'https://svc.example.com', PROCESSOR_WEBHOOK_SECRET: 'whsec_3f1c3f1c3f1c3f1c3f1c3f1c3f1c', SMTP_URL: 'smtp://127.0.0.1:9', VERIFIER_ALLOW_PRIVATE: '',
  })
  try {
    const person = await registerHuman(production)
    const answer = await production.http<Refusal>('POST', '/wallets/admin/test-credit', {
      token: await production.adminToken(), body: { walletId: person.walletId, amount: 1, reason: 'x' },
    })
    assert.deepEqual([answer.status, answer.body.message, answer.body.hint], [403, 'Sandbox mode only', 'Production mode has no test credit'])
    const wallet = await production.http<Wallet>('GET', `/wallets/${person.walletId}`, { token: person.token })
    assert.equal(wallet.body.cryptoNetwork, 'eip155:8453')
  } finally {
    await production.close()
  }
})
