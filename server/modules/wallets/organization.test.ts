import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  fund,
  holdingLocks,
  joinOrganization,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

interface Wallet {
  id: string
  ownerType: string
  ownerId: string
  currency: string
  isDefault: boolean
  available: string
  wallets: Wallet[]
  message: string
}
interface Moved {
  wallet: Wallet
  message: string
}

let counter = 0

suite('wallets of organizations', () => {
  let service: TestService
  let owner: Person
  let admin: Person
  let member: Person
  let outsider: Person
  let slug: string
  let organizationId: string
  let walletId: string
  before(async () => {
    service = await sharedService()
    ;[owner, admin, member, outsider] = [
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
    ]
  })
  after(() => service.close())
  beforeEach(async () => {
    slug = `wallet-works-${counter++}`
    const made = await service.http<{ id: string }>('POST', '/organizations', {
      token: owner.token,
      body: { slug, name: 'Works' },
    })
    assert.equal(made.status, 201, made.text)
    organizationId = made.body.id
    for (const [person, role] of [
      [admin, 'ADMIN'],
      [member, 'MEMBER'],
    ] as const)
      await joinOrganization(service, owner, person, { slug, role })
    walletId = (await ofOrganization(owner)).body.id
  })

  const ofOrganization = ({ token }: { token: string }, name = slug) =>
    service.http<Wallet>('GET', `/wallets/org/${name}`, { token })
  const send = ({ token }: Person, amount: number, from = walletId) =>
    service.http<Moved>('POST', `/wallets/${from}/transfer`, {
      token,
      body: { toWalletId: outsider.walletId, amount },
    })
  const topUp = ({ token }: Person, amount: number, id = walletId) =>
    service.http<Moved>('POST', `/wallets/${id}/fund`, { token, body: { amount } })
  const create = ({ token }: Person, body: object) =>
    service.http<Wallet>('POST', '/wallets', { token, body: { ownerType: 'ORGANIZATION', ...body } })
  const remove = ({ id }: Person, by = owner) =>
    service.http('DELETE', `/organizations/${slug}/members/${id}`, { token: by.token })

  test('come with every organization: one in dollars, empty, the default', async () => {
    const { status, body } = await ofOrganization(owner)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.ownerType, body.ownerId, body.currency, body.isDefault, body.available],
      ['ORGANIZATION', organizationId, 'USD', true, '0.00'],
    )
    assert.deepEqual(
      body.wallets.map(({ id }) => id),
      [walletId],
    )
  })

  test('are read by every member, funded and spent by OWNER and ADMIN only', async () => {
    for (const who of [owner, admin]) assert.equal((await topUp(who, 10)).status, 201)
    for (const who of [member, outsider]) assert.equal((await topUp(who, 10)).status, 403)
    for (const who of [owner, admin]) assert.equal((await send(who, 4)).status, 201)
    for (const who of [member, outsider]) assert.equal((await send(who, 4)).status, 403)
    for (const who of [owner, admin, member]) {
      assert.deepEqual([(await ofOrganization(who)).body.available], ['12.00'])
      assert.equal(
        (await service.http<Wallet>('GET', `/wallets/${walletId}`, { token: who.token })).body.available,
        '12.00',
      )
      const { body } = await service.http<{ total: number }>('GET', `/wallets/${walletId}/transactions`, {
        token: who.token,
      })
      assert.equal(body.total, 4)
    }
    for (const path of [
      `/wallets/org/${slug}`,
      `/wallets/${walletId}`,
      `/wallets/${walletId}/transactions`,
    ]) {
      assert.equal((await service.http('GET', path, { token: outsider.token })).status, 403, path)
      assert.equal((await service.http('GET', path, { token: await service.adminToken() })).status, 403, path)
    }
    for (const nobodys of ['nobodys', newId()])
      assert.equal((await ofOrganization(owner, nobodys)).status, 404)
  })

  test('give a key the rights of its member', async () => {
    const keyOf = async ({ token }: Person) => ({
      token: (
        await service.http<{ apiKey: string }>('POST', '/api/v1/keys', { token, body: { name: 'Key' } })
      ).body.apiKey,
    })
    assert.deepEqual(
      [
        (await ofOrganization(await keyOf(member))).status,
        (await ofOrganization(await keyOf(outsider))).status,
      ],
      [200, 403],
    )
  })

  test('are created by OWNER and ADMIN only: 403, unknown owner 404', async () => {
    for (const who of [owner, admin]) {
      const { status, body } = await create(who, { ownerId: organizationId, currency: 'USDC' })
      assert.deepEqual(
        [status, body.ownerType, body.ownerId, body.isDefault],
        [201, 'ORGANIZATION', organizationId, who === owner],
      )
    }
    assert.equal((await ofOrganization(member)).body.wallets.length, 3)
    for (const who of [member, outsider])
      assert.equal((await create(who, { ownerId: organizationId })).status, 403)
    for (const ownerId of [newId(), 'nonsense', owner.id, undefined])
      assert.equal((await create(owner, { ownerId })).status, 404)
  })

  test('reject payments of a removed or demoted member at once', async () => {
    await topUp(owner, 20)
    assert.equal((await send(admin, 1)).status, 201)
    assert.equal((await remove(admin)).status, 204)
    assert.deepEqual([(await send(admin, 1)).status, (await ofOrganization(admin)).status], [403, 403])
    await joinOrganization(service, owner, admin, { slug, role: 'ADMIN' })
    assert.equal((await send(admin, 1)).status, 201)
    await service.http('PATCH', `/organizations/${slug}/members/${admin.id}`, {
      token: owner.token,
      body: { role: 'MEMBER' },
    })
    assert.deepEqual([(await send(admin, 1)).status, (await ofOrganization(admin)).status], [403, 200])
  })

  test('make a removal wait for a payment of that person', async () => {
    await topUp(owner, 10)
    // Another transfer of the wallet holds its balance, so that this one stops between the check of the role and the posting.
    await holdingLocks(service, async ({ query, waiters, rollback }) => {
      await query('select from ledger_balance where account like $1 for update', [`%${walletId}`])
      const spending = send(admin, 4)
      await waiters(1)
      let answered = false
      const removal = remove(admin).then(answer => {
        answered = true
        return answer
      })
      await waiters(2)
      assert.equal(answered, false)
      await rollback()
      assert.deepEqual([(await spending).status, (await removal).status], [201, 204])
    })
    assert.deepEqual(
      [(await send(admin, 4)).status, (await ofOrganization(owner)).body.available],
      [403, '6.00'],
    )
  })

  test('the audit log records which member created a wallet or sent money', async () => {
    await topUp(owner, 5)
    await send(admin, 2)
    const {
      body: { id },
    } = await create(admin, { ownerId: organizationId, currency: 'USDC' })
    const token = await service.adminToken()
    const of = async (targetId: string) =>
      (
        await service.http<{ items: { action: string; actorId: string; details: { amount?: string } }[] }>(
          'GET',
          `/admin/audit?targetId=${targetId}`,
          { token },
        )
      ).body.items.map(({ action, actorId, details }) => [action, actorId, details.amount])
    assert.deepEqual(await of(walletId), [['wallet.organization_transfer', admin.id, '2']])
    assert.deepEqual(await of(id), [['wallet.organization_opened', admin.id, undefined]])
  })

  test('hold money apart from the wallets of their people', async () => {
    await fund(service, owner, 5)
    await topUp(owner, 7)
    const gone = await service.http('DELETE', '/users/me', { token: (await leaveTo(admin)).token })
    assert.equal(gone.status, 204)
    assert.deepEqual(
      [(await ofOrganization(admin)).status, (await ofOrganization(admin)).body.available],
      [200, '7.00'],
    )
    assert.equal((await send(admin, 7)).status, 201)
  })

  /** The OWNER, after a new person has taken its place for the tests that follow. */
  async function leaveTo(next: Person): Promise<Person> {
    const former = owner
    const body = { role: 'OWNER' }
    assert.equal(
      (await service.http('PATCH', `/organizations/${slug}/members/${next.id}`, { token: owner.token, body }))
        .status,
      200,
    )
    owner = await registerHuman(service)
    return former
  }
})
