import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { accounts, balancesOf } from '#ledger'
import {
  acceptedDeal,
  holdingLocks,
  must,
  publishAgent,
  joinOrganization,
  registerHuman,
  sharedService,
} from '#test'
import type { Person, TestService } from '#test'

let counter = 0

suite('organizations of deleted people', () => {
  let service: TestService
  let owner: Person
  let slug: string
  let name: string
  let id: string
  let walletId: string
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  beforeEach(async () => {
    owner = await registerHuman(service)
    slug = `lovelace-works-${counter}`
    name = `Augusta Ada King, ${counter++}th countess`
    const made = await make(owner, { slug, name })
    assert.equal(made.status, 201, made.text)
    id = made.body.id
    walletId = (await walletSeenBy(owner)).body.id
  })

  const walletSeenBy = ({ token }: Person) =>
    service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token })
  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<Record<string, string | null>>(text, values)
  const join = async (role: string) => {
    const person = await registerHuman(service)
    await joinOrganization(service, owner, person, { slug, role })
    return person
  }
  const remove = async ({ token }: Person) => (await service.http('DELETE', '/users/me', { token })).status
  const roles = async () => {
    const { rows } = await query('select account_id, role from identity_member where organization_id = $1', [
      id,
    ])
    return Object.fromEntries(rows.map(row => [row.account_id, row.role]))
  }
  const topUp = ({ token }: Person, amount: number, to = walletId) =>
    service.http('POST', `/wallets/${to}/fund`, { token, body: { amount } })
  const balance = async (account: string) =>
    (await balancesOf(service.services.db, [account], 'USD')).get(account) ?? 0n
  const make = ({ token }: Person, body: { slug: string; name: string }) =>
    service.http<{ id: string }>('POST', '/organizations', { token, body })
  const dollars = (amount: number) => BigInt(amount) * 1_000_000n

  test('removes a member who is not the last OWNER', async () => {
    const [second, member] = [await join('OWNER'), await join('MEMBER')]
    assert.equal(await remove(member), 204)
    assert.equal(await remove(owner), 204)
    assert.deepEqual(await roles(), { [second.id]: 'OWNER' })
  })

  test('passes to the longest ADMIN, then a MEMBER, suspended people last', async () => {
    const early = await join('MEMBER')
    const suspended = await join('ADMIN')
    const next = await join('ADMIN')
    await join('ADMIN')
    const token = await service.adminToken()
    await service.http('POST', `/admin/users/${suspended.id}/suspend`, { token, body: { reason: 'test' } })
    assert.equal(await remove(owner), 204)
    const { [next.id]: first, [early.id]: second, [suspended.id]: third, ...rest } = await roles()
    assert.deepEqual([first, second, third, Object.values(rest)], ['OWNER', 'MEMBER', 'ADMIN', ['ADMIN']])
    const renaming = { token: next.token, body: { name: 'Ours' } }
    assert.equal((await service.http('PATCH', `/organizations/${slug}`, renaming)).status, 200)

    slug = `${slug}-b`
    owner = await registerHuman(service)
    id = (await make(owner, { slug, name: 'B' })).body.id
    const member = await join('MEMBER')
    assert.equal(await remove(owner), 204)
    assert.deepEqual(await roles(), { [member.id]: 'OWNER' })
  })

  test('closes with its only person; its money goes to the unclaimed funds', async () => {
    assert.equal((await topUp(owner, 30)).status, 201)
    const token = await service.adminToken()
    const credit = { token, body: { walletId, amount: 5, reason: 'test' } }
    assert.equal((await service.http('POST', '/wallets/admin/test-credit', credit)).status, 201)
    const cryptoAddress = '0x52908400098527886E0F7030069857D2E4169EE7'
    const own = {
      ownerType: 'ORGANIZATION',
      ownerId: id,
      currency: 'USDC',
      walletType: 'PROVIDED',
      cryptoAddress,
    }
    assert.equal((await service.http('POST', '/wallets', { token: owner.token, body: own })).status, 201)
    const unclaimed = await balance(accounts.unclaimed)
    assert.equal(await remove(owner), 204)
    assert.equal((await balance(accounts.unclaimed)) - unclaimed, dollars(30))
    assert.deepEqual(
      [await balance(accounts.wallet(walletId)), await balance(accounts.testCredit(walletId))],
      [0n, 0n],
    )
    assert.deepEqual(await roles(), {})

    const { rows: tables } = await query(`select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('public', 'jobs')`)
    for (const { name: table } of tables) {
      const { rows } = await query(`select t::text as text from ${table} t`)
      const found = rows.filter(({ text }) => [slug, name, cryptoAddress].some(word => text?.includes(word)))
      assert.deepEqual(found, [], table ?? '')
    }
    const other = await registerHuman(service)
    assert.equal((await topUp(other, 5, other.walletId)).status, 201)
    const sent = await service.http('POST', `/wallets/${other.walletId}/transfer`, {
      token: other.token,
      body: { toWalletId: walletId, amount: 1 },
    })
    assert.equal(sent.status, 404)
    assert.equal((await make(other, { slug, name: 'Another' })).status, 201)
    assert.notEqual((await walletSeenBy(other)).body.id, walletId)
  })

  test('sweeps money that an escrow pays to a closed organization', async () => {
    const seller = await registerHuman(service)
    const agent = await publishAgent(service, seller)
    await topUp(owner, 100)
    const market = { service, agent, buyer: owner, outsider: seller, admin: await service.adminToken() }
    const { id: negotiationId } = await acceptedDeal(market)
    const order = { negotiationId, sourceWalletId: walletId }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', order)
    assert.equal(await remove(owner), 204)
    const unclaimed = await balance(accounts.unclaimed)
    const refunding = { token: seller.token, body: {} }
    assert.equal((await service.http('POST', `/payments/escrow/${escrowId}/refund`, refunding)).status, 201)
    assert.equal(await balance(accounts.wallet(walletId)), 0n)
    assert.equal((await balance(accounts.unclaimed)) - unclaimed, dollars(100))
  })

  for (const [what, ofWhom] of [
    ['an account', 'USER'],
    ['an organization', 'ORGANIZATION'],
  ] as const) {
    test(`a transfer that meets the end of ${what} sends nothing there`, async () => {
      const sender = await registerHuman(service)
      await topUp(sender, 9, sender.walletId)
      const to = ofWhom === 'USER' ? owner.walletId : walletId
      await holdingLocks(service, async holder => {
        // Holds the balance, so that the deletion stops before its sweep and the transfer after its look at the receiver.
        await holder.query('select from ledger_balance where account like $1 for update', [`%${to}`])
        const removed = remove(owner)
        await holder.waiters(1)
        const sent = service.http('POST', `/wallets/${sender.walletId}/transfer`, {
          token: sender.token,
          body: { toWalletId: to, amount: 4 },
        })
        await holder.waiters(2)
        await holder.rollback()
        assert.deepEqual([await removed, (await sent).status], [204, 404])
      })
      assert.equal(await balance(accounts.wallet(to)), 0n)
      assert.equal(await balance(accounts.wallet(sender.walletId)), dollars(9))
    })
  }

  test('closes once when all its people are deleted in parallel', async () => {
    const people = [owner, await join('OWNER'), await join('ADMIN'), await join('MEMBER')]
    await topUp(owner, 12)
    const unclaimed = await balance(accounts.unclaimed)
    assert.deepEqual(await Promise.all(people.map(remove)), [204, 204, 204, 204])
    assert.deepEqual([await roles(), (await balance(accounts.unclaimed)) - unclaimed], [{}, dollars(12)])
    const state =
      'select slug, name, closed_at is not null as closed from identity_organization where id = $1'
    const { rows } = await query(state, [id])
    assert.deepEqual(rows, [{ slug: null, name: '', closed: true }])
  })

  test('does not add a person who is being deleted', async () => {
    for (let round = 0; round < 8; round++) {
      const person = await registerHuman(service)
      const body = { userId: person.id, role: 'ADMIN' }
      const invite = () =>
        service.http('POST', `/organizations/${slug}/members`, { token: owner.token, body })
      if (round % 2) await invite()
      const second =
        round % 2 ? service.http('POST', `/organizations/${slug}/accept`, { token: person.token }) : invite()
      await Promise.all([remove(person), second])
      const { rows: left } = await query('select from identity_invitation where account_id = $1', [person.id])
      assert.equal(left.length, 0)
      assert.deepEqual(await roles(), { [owner.id]: 'OWNER' })
    }
  })
})
