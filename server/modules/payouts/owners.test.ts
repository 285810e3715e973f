import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { accountEvents } from '#identity'
import { accounts, balanceOf, freezeAccount, unfreezeAccount } from '#ledger'
import { publish } from '#platform/kernel/events'
import { newId } from '#platform/kernel/id'
import {
  connectBank,
  fund,
  joinOrganization,
  mailTo,
  publishAgent,
  registerHuman,
  startTestService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'

interface Body {
  id: string
  accountId: string | null
  status: string
  code: string
  message: string
  isConnected: boolean
  isPayoutsEnabled: boolean
  isReady: boolean
  requirements: string[]
  items: { id: string; status: string }[]
  wallet: { available: string }
  transaction: { type: string; amount: string }
  available: string
  details: { status: string }
}

let count = 0

suite('payouts of agents and organizations', () => {
  let service: TestService
  let owner: Person
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10' })
  })
  after(() => service.close())
  beforeEach(async () => {
    owner = await registerHuman(service)
  })

  const post = (path: string, body: object = {}, token = owner.token) =>
    service.http<Body>('POST', path, { token, body })
  const get = (path: string, token = owner.token) => service.http<Body>('GET', path, { token })
  const verdict = async (answer: Promise<{ status: number; body: Body }>) => {
    const { status, body } = await answer
    return [status, body.code]
  }
  const available = async (walletId: string, token = owner.token) =>
    (await get(`/wallets/${walletId}`, token)).body.available
  const give = async (walletId: string, amount: number, person = owner) => {
    await fund(service, person, amount)
    const moved = await post(
      `/wallets/${person.walletId}/transfer`,
      { toWalletId: walletId, amount },
      person.token,
    )
    assert.equal(moved.status, 201, moved.text)
  }
  const organization = async () => {
    const slug = `payout-works-${count++}`
    const { body } = await post('/organizations', { slug, name: 'Works' })
    const { body: wallet } = await get(`/wallets/org/${slug}`)
    return { slug, id: body.id, walletId: wallet.id }
  }
  const balance = (account: string) => balanceOf(service.services.db, account, 'USD')
  const frozen = async (walletId: string, run: () => Promise<void>) => {
    const { db } = service.services
    await db.transaction(tx => freezeAccount(tx, accounts.wallet(walletId), 'USD', 'test'))
    await run()
    await db.transaction(tx => unfreezeAccount(tx, accounts.wallet(walletId), 'USD', 'test'))
  }

  test('of an agent go to the bank account that its owner connected', async () => {
    const agent = await publishAgent(service, owner)
    await give(agent.walletId, 40)
    const named = { agentId: agent.id }
    assert.deepEqual(await verdict(post('/payouts/request', { ...named, amount: 5 })), [
      400,
      'WALLET_NOT_CONFIGURED',
    ])
    const accountId = await connectBank(service, owner.token, named)
    assert.equal((await get(`/payouts/account-status/${agent.id}`)).body.accountId, accountId)
    const { status, body } = await post('/payouts/request', { ...named, amount: 15 })
    assert.deepEqual([status, body.status, await available(agent.walletId)], [201, 'REQUESTED', '25.00'])
    const other = await registerHuman(service)
    assert.equal((await post('/payouts/request', { ...named, amount: 5 }, other.token)).status, 403)
    assert.equal((await get(`/payouts/history/${agent.id}`, other.token)).status, 403)
    await frozen(agent.walletId, async () =>
      assert.deepEqual(await verdict(post('/payouts/request', { ...named, amount: 5 })), [
        409,
        'ACCOUNT_FROZEN',
      ]),
    )
    const archived = await service.http('PATCH', `/agents/${agent.id}`, {
      token: owner.token,
      body: { status: 'ARCHIVED' },
    })
    assert.equal(archived.status, 200, archived.text)
    await service.advance(3 * 86_400)
    assert.deepEqual(
      (await get(`/payouts/history/${agent.id}`)).body.items.map(payout => payout.status),
      ['PAID'],
    )
    assert.equal((await post('/payouts/request', { ...named, amount: 5 })).status, 201, 'also when archived')
  })

  test('move from an agent to its human owner, and never test credit', async () => {
    const agent = await publishAgent(service, owner)
    const admin = await service.adminToken()
    const credit = { walletId: agent.walletId, amount: 100, reason: 'test' }
    await post('/wallets/admin/test-credit', credit, admin)
    await give(agent.walletId, 30)
    const move = (amount: number, token = owner.token) =>
      post('/payouts/agent-to-user', { agentId: agent.id, amount }, token)
    const answers = await Promise.all(Array.from({ length: 20 }, () => move(10)))
    assert.deepEqual(
      [answers.filter(({ status }) => status === 201).length, await available(owner.walletId)],
      [3, '30.00'],
    )
    const moved = answers.find(({ status }) => status === 201)
    assert.deepEqual(
      [moved?.body.transaction.type, moved?.body.transaction.amount],
      ['agent_to_user', '10.00'],
    )
    assert.equal(await available(agent.walletId), '100.00')
    assert.equal((await move(1, (await registerHuman(service)).token)).status, 403)
    assert.equal((await post('/payouts/agent-to-user', { agentId: newId(), amount: 1 })).status, 404)
    await give(agent.walletId, 10)
    await frozen(agent.walletId, async () =>
      assert.deepEqual(await verdict(move(1)), [409, 'ACCOUNT_FROZEN']),
    )
    const noWallet = { agentId: agent.id, amount: 1, currency: 'USDC' }
    assert.deepEqual(await verdict(post('/payouts/agent-to-user', noWallet)), [404, 'WALLET_NOT_FOUND'])
    await post(`/admin/agents/${agent.id}/suspend`, {}, admin)
    assert.deepEqual(await verdict(move(1)), [403, 'AGENT_SUSPENDED'])
    assert.equal((await post('/payouts/request', { agentId: agent.id, amount: 1 })).status, 403)
  })

  test('of a suspended agent are not approved and not sent until it is reinstated', async () => {
    const [agent, admin] = [await publishAgent(service, owner), await service.adminToken()]
    const change = async (verb: string) =>
      assert.equal((await post(`/admin/agents/${agent.id}/${verb}`, {}, admin)).status, 200)
    const read = () => get(`/payouts/history/${agent.id}`)
    const states = async () => (await read()).body.items.map(({ status }) => status)
    await give(agent.walletId, 1010)
    await connectBank(service, owner.token, { agentId: agent.id })
    for (const amount of [5, 1001]) await post('/payouts/request', { agentId: agent.id, amount })
    const { items } = (await get('/admin/approvals?status=PENDING&limit=100', admin)).body
    const approve = `/admin/approvals/${items[0]?.id}/approve`
    await change('suspend')
    assert.deepEqual(await verdict(post(approve, {}, admin)), [409, 'PAYOUT_OWNER_SUSPENDED'])
    await service.advance(86_400)
    assert.deepEqual(await states(), ['REVIEW', 'REQUESTED'])
    await change('reinstate')
    assert.equal((await post(approve, {}, admin)).status, 200)
    await service.advance(3 * 86_400)
    assert.deepEqual(await states(), ['PAID', 'PAID'])
  })

  test('of an organization are made by OWNER and ADMIN, and read by members', async () => {
    const { slug, walletId } = await organization()
    const named = { organizationSlug: slug }
    const [staff, member, other] = [
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
    ]
    await joinOrganization(service, owner, staff, { slug, role: 'ADMIN' })
    await joinOrganization(service, owner, member, { slug, role: 'MEMBER' })
    await give(walletId, 60)
    assert.equal((await post('/payouts/org/setup', named, member.token)).status, 403)
    assert.equal((await post('/payouts/org/setup', { organizationSlug: 'no-such-org' })).status, 404)
    await connectBank(service, owner.token, named)
    assert.equal((await post('/payouts/org/request', { ...named, amount: 5 }, member.token)).status, 403)
    const { status, body } = await post('/payouts/org/request', { ...named, amount: 20 }, staff.token)
    assert.equal(status, 201)
    await mailTo(service, owner.email, /payout of 20\.00 USD was requested/)
    for (const { token } of [owner, member])
      assert.equal((await get(`/payouts/org/history/${slug}`, token)).body.items[0]?.id, body.id)
    assert.equal((await get(`/payouts/org/account-status/${slug}`, member.token)).body.isReady, true)
    assert.equal((await get(`/payouts/org/history/${slug}`, other.token)).status, 403)
    assert.equal((await post(`/payouts/${body.id}/cancel`, {}, member.token)).status, 403)
    assert.equal((await post(`/payouts/${body.id}/cancel`, {}, owner.token)).status, 200)
    await frozen(walletId, async () =>
      assert.deepEqual(await verdict(post('/payouts/org/request', { ...named, amount: 5 })), [
        409,
        'ACCOUNT_FROZEN',
      ]),
    )
  })

  test('in progress keep an organization open', async () => {
    const { slug, walletId } = await organization()
    await give(walletId, 10)
    await connectBank(service, owner.token, { organizationSlug: slug })
    await post('/payouts/org/request', { organizationSlug: slug, amount: 10 })
    const close = () => service.http<Body>('DELETE', `/organizations/${slug}`, { token: owner.token })
    assert.deepEqual([(await close()).status, (await close()).body.code], [409, 'WALLET_NOT_EMPTY'])
    await service.advance(3 * 86_400)
    assert.equal((await close()).status, 204)
  })

  suite('when their owner changes', () => {
    let agent: ListedAgent
    test('a claimed agent loses its bank account and the payouts that are not sent', async () => {
      const creator = await registerHuman(service)
      const announced = await service.http<{ agent_id: string; claim_url: string }>(
        'POST',
        '/agents/announce',
        {
          token: creator.token,
          body: { name: 'Announced' },
        },
      )
      const id = announced.body.agent_id
      const { body: wallet } = await get(`/wallets/agent/${id}`, creator.token)
      await give(wallet.id, 30, creator)
      const bank = await connectBank(service, creator.token, { agentId: id })
      const unsent = await post('/payouts/request', { agentId: id, amount: 10 }, creator.token)
      const claim = `/agents/claim/${announced.body.claim_url.split('/').at(-1)}`
      assert.equal((await post(claim)).status, 200)
      await mailTo(
        service,
        creator.email,
        /The payout of 10\.00 USD was canceled: another account has claimed/,
      )
      assert.deepEqual(
        [(await get(`/payouts/account-status/${id}`)).body.status, await available(wallet.id)],
        ['NOT_CONNECTED', '30.00'],
      )
      assert.equal((await post(`/payouts/${unsent.body.id}/cancel`, {}, creator.token)).status, 409)
      assert.deepEqual(
        (await get(`/payouts/history/${id}`)).body.items,
        [],
        'not those of the previous owner',
      )
      assert.equal((await post('/payouts/request', { agentId: id, amount: 5 }, creator.token)).status, 403)
      assert.notEqual(await connectBank(service, owner.token, { agentId: id }), bank)
    })

    test('an account that somebody else proves to own loses what its registrant set up', async () => {
      await connectBank(service, owner.token)
      await fund(service, owner, 10)
      const unsent = await post('/payouts/user/request', { amount: 10 })
      assert.equal(unsent.status, 201)
      await service.services.db.transaction(tx =>
        publish(tx, accountEvents.accountClaimed, { accountId: owner.id, agentIds: [] }),
      )
      assert.deepEqual(
        [(await get('/payouts/user/account-status')).body.status, await available(owner.walletId)],
        ['NOT_CONNECTED', '10.00'],
      )
      assert.equal((await get('/payouts/user/history')).body.items[0]?.status, 'CANCELED')
    })

    test('a deleted account leaves what is not sent, and what comes back, to the unclaimed funds', async () => {
      agent = await publishAgent(service, owner)
      await give(agent.walletId, 20)
      await connectBank(service, owner.token, { accountNumber: '000999999991' })
      await connectBank(service, owner.token, { agentId: agent.id })
      await fund(service, owner, 30)
      const sent = await post('/payouts/user/request', { amount: 30 })
      await service.advance(11 * 60)
      const unsent = await post('/payouts/request', { agentId: agent.id, amount: 20 })
      assert.deepEqual([sent.status, unsent.status], [201, 201])
      await fund(service, owner, 2000)
      assert.equal((await post('/payouts/user/request', { amount: 2000 })).body.status, 'REVIEW')
      const before = await balance(accounts.unclaimed)
      assert.equal((await service.http('DELETE', '/users/me', { token: owner.token })).status, 204)
      assert.equal((await balance(accounts.unclaimed)) - before, 2_020_000_000n)
      await service.advance(5 * 86_400)
      assert.equal((await balance(accounts.unclaimed)) - before, 2_050_000_000n)
      assert.equal(await balance(accounts.payout(sent.body.id)), 0n)
      const { rows } = await service.services.db.pool.query(
        'select from payouts_account where account_id = $1 and (email is not null or processor_account_id is not null)',
        [owner.id],
      )
      assert.equal(rows.length, 0)
      const ended = await service.services.db.pool.query(
        `select distinct status, failure_message, destination = '[removed]' as "isErased" from payouts_payout
        where account_id = $1 order by status`,
        [owner.id],
      )
      // Also what the processor says after the deletion is erased; where money was sent stays.
      assert.deepEqual(ended.rows, [
        { status: 'CANCELED', failure_message: null, isErased: true },
        { status: 'RETURNED', failure_message: null, isErased: false },
      ])
    })
  })
})
