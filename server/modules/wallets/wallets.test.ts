import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HDKey, privateKeyToAddress } from 'viem/accounts'
import { bytesToHex } from 'viem/utils'
import { createWallet } from '#wallets'
import { newId } from '#platform/kernel/id'
import { registerHuman, sharedService, startTestService, type Person, type TestService } from '#test'

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
type Refusal = { message: string | string[]; hint?: string }

const textOf = ({ message }: Refusal): string => (typeof message === 'string' ? message : message.join())
const NOBODY = newId()
let service: TestService
let ada: Person
let bob: Person

before(async () => {
  service = await sharedService()
  ada = await registerHuman(service)
  bob = await registerHuman(service)
})
after(() => service.close())

const read = async (person: Person, id = person.walletId) =>
  (await service.http<Wallet>('GET', `/wallets/${id}`, { token: person.token })).body
const create = (person: Person, body: unknown = {}) =>
  service.http<Wallet & Refusal>('POST', '/wallets', { token: person.token, body })
/** A wallet of an agent that `person` controls. */
const agentWallet = (person: Person, agentId: string) =>
  service.services.db.transaction(tx =>
    createWallet(tx, { ownerType: 'AGENT', ownerId: agentId, accountId: person.id }),
  )

describe('a wallet', () => {
  test('comes with every account, in dollars and empty', async () => {
    const {
      id,
      ownerType,
      ownerId,
      currency,
      isDefault,
      balance,
      available,
      withdrawable,
      testBalance,
      reserved,
      walletType,
    } = await read(ada)
    assert.deepEqual(
      { id, ownerType, ownerId, currency, isDefault, walletType },
      {
        id: ada.walletId,
        ownerType: 'USER',
        ownerId: ada.id,
        currency: 'USD',
        isDefault: true,
        walletType: 'MANAGED',
      },
    )
    assert.deepEqual(
      [balance, available, withdrawable, testBalance, reserved],
      Array.from({ length: 5 }, () => '0.00'),
    )
  })

  test('is 403 for another account, and 404 for an unknown id', async () => {
    for (const path of [
      `/wallets/${ada.walletId}`,
      `/wallets/${ada.walletId}/transactions`,
      `/wallets/user/${ada.id}`,
      `/wallets/user/${ada.id}/detail`,
    ]) {
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

  test("of an agent is its controller's", async () => {
    const agentId = newId()
    const { id } = await agentWallet(ada, agentId)
    const own = await service.http<Wallet>('GET', `/wallets/agent/${agentId}`, { token: ada.token })
    assert.deepEqual([own.status, own.body.id, own.body.wallets.length], [200, id, 1])
    assert.equal((await service.http('GET', `/wallets/agent/${agentId}`, { token: bob.token })).status, 403)
    const mine = await service.http<{ items: Wallet[]; total: number }>('GET', '/wallets/my-agents', {
      token: ada.token,
    })
    assert.deepEqual([mine.body.items.map(wallet => wallet.id), mine.body.total], [[id], 1])
    assert.equal(
      (await service.http<{ total: number }>('GET', '/wallets/my-agents', { token: bob.token })).body.total,
      0,
    )
    const detail = await service.http<{ agentWallets: Wallet[] }>('GET', `/wallets/user/${ada.id}/detail`, {
      token: ada.token,
    })
    assert.deepEqual(
      detail.body.agentWallets.map(wallet => wallet.id),
      [id],
    )
  })
})

describe('POST /wallets', () => {
  test('creates another USD wallet for an empty body, not the default', async () => {
    const { status, body } = await create(bob)
    assert.deepEqual([status, body.currency, body.isDefault, body.ownerId], [201, 'USD', false, bob.id])
    assert.equal(
      (await service.http<Wallet>('GET', `/wallets/user/${bob.id}`, { token: bob.token })).body.id,
      bob.walletId,
    )
  })

  test('makes exactly one of several first wallets of a currency its default', async () => {
    const person = await registerHuman(service)
    const made = await Promise.all(Array.from({ length: 6 }, () => create(person, { currency: 'USDC' })))
    assert.deepEqual(
      made.map(answer => answer.status),
      Array.from({ length: 6 }, () => 201),
    )
    assert.equal(made.filter(answer => answer.body.isDefault).length, 1)
  })

  test('stores a given address in checksum form and rejects an invalid one', async () => {
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

  test('creates wallets for the caller and its agents only', async () => {
    const agentId = newId()
    await agentWallet(ada, agentId)
    assert.equal((await create(ada, { ownerType: 'AGENT', ownerId: agentId, currency: 'USDC' })).status, 201)
    assert.equal((await create(bob, { ownerType: 'AGENT', ownerId: agentId })).status, 403)
    assert.equal((await create(bob, { ownerType: 'AGENT', ownerId: NOBODY })).status, 404)
    assert.equal((await create(bob, { ownerType: 'AGENT' })).status, 404)
    assert.equal((await create(bob, { ownerId: ada.id })).status, 403)
    assert.equal((await create(bob, { ownerType: 'ORGANIZATION' })).status, 404)
    for (const body of [{ ownerType: 'BANK' }, { currency: 'EUR' }, { balance: 5 }, []])
      assert.equal((await create(bob, body)).status, 400)
  })
})

test('derives each managed address once from the sealed seed', async () => {
  const wallets = await Promise.all(Array.from({ length: 5 }, () => create(bob)))
  const addresses = wallets.map(({ body }) => body.cryptoAddress)
  assert.equal(new Set(addresses).size, 5)
  const { db, secrets } = service.services
  const tree = HDKey.fromMasterSeed(
    Buffer.from(await secrets.stored(db, 'wallets/seed', () => ''), 'hex'),
  ).derive("m/44'/60'/0'/0")
  // Other files share the service: their wallets come first.
  const { rows } = await db.pool.query<{ count: number }>('select count(*)::int from wallets_wallet')
  const spendable = Array.from({ length: 100 + (rows[0]?.count ?? 0) }, (_, index) =>
    privateKeyToAddress(bytesToHex(tree.deriveChild(index).privateKey ?? new Uint8Array())),
  )
  for (const address of addresses)
    assert.ok(
      (spendable as string[]).includes(address),
      'the private key of the address follows from the seed',
    )
})

test('rejects test credit in production', async () => {
  const production = await startTestService({
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example.com',
    STRIPE_WEBHOOK_SECRET: 'whsec_3f1c3f1c3f1c3f1c3f1c3f1c3f1c',
    SMTP_URL: 'smtp://127.0.0.1:9',
    VERIFIER_ALLOW_PRIVATE: '',
  })
  try {
    const person = await registerHuman(production)
    const answer = await production.http<Refusal>('POST', '/wallets/admin/test-credit', {
      token: await production.adminToken(),
      body: { walletId: person.walletId, amount: 1, reason: 'x' },
    })
    assert.deepEqual(
      [answer.status, answer.body.message, answer.body.hint],
      [403, 'Sandbox mode only', 'Production mode has no test credit'],
    )
    const wallet = await production.http<Wallet>('GET', `/wallets/${person.walletId}`, {
      token: person.token,
    })
    assert.equal(wallet.body.cryptoNetwork, 'eip155:8453')
  } finally {
    await production.close()
  }
})
