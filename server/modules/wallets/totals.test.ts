import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  as,
  deliveredDeal,
  fund,
  joinOrganization,
  must,
  openMarket,
  registerHuman,
  sharedService,
  type Market,
  type Person,
  type TestService,
} from '#test'

interface Totals {
  periods: { period: string; type: string; direction: string; amount: string; count: number }[]
  wallets: {
    walletId: string
    ownerId: string
    test: boolean
    type: string
    direction: string
    amount: string
  }[]
  message: string | string[]
}

suite('sums of the transactions of an owner', () => {
  let service: TestService
  let market: Market
  const today = new Date().toISOString()
  before(async () => {
    service = await sharedService()
    market = await openMarket(service, { amount: 200, card: true })
    for (const budget of [40, 60]) {
      const { escrowId } = await deliveredDeal(market, { budget })
      await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    }
  })
  after(() => service.close())

  const totals = ({ token }: Pick<Person, 'token'>, query: Record<string, string> = {}) => {
    const search = new URLSearchParams({ from: today, ...query }).toString()
    return service.http<Totals>('GET', `/wallets/totals?${search}`, { token })
  }
  const periods = async (person: Pick<Person, 'token'>, query?: Record<string, string>) => {
    const { status, body, text } = await totals(person, query)
    assert.equal(status, 200, text)
    return body.periods.map(({ type, direction, amount, count }) => [type, direction, amount, count])
  }

  test('are those of your own wallets by month', async () => {
    assert.deepEqual(await periods(market.buyer), [
      ['ap2.hold', 'OUT', '100.00', 2],
      ['fund', 'IN', '200.00', 1],
    ])
    const { body } = await totals(market.buyer)
    assert.deepEqual(
      new Set(body.periods.map(({ period }) => period)),
      new Set([`${service.services.clock.now().toISOString().slice(0, 7)}-01`]),
    )
  })

  test('are those of all agents of the account, with the wallet of each', async () => {
    const { owner, id, walletId } = market.agent
    assert.deepEqual(await periods(owner, { ownerType: 'AGENT', unit: 'day' }), [
      ['ap2.release', 'IN', '80.00', 2],
    ])
    assert.deepEqual((await totals(owner, { ownerType: 'AGENT', ownerId: id })).body.wallets, [
      {
        walletId,
        ownerId: id,
        test: false,
        type: 'ap2.release',
        direction: 'IN',
        amount: '80.00',
        currency: 'USD',
        count: 2,
      },
    ])
    assert.deepEqual(await periods(market.buyer, { ownerType: 'AGENT' }), [])
  })

  test('are those of an organization for its members, and 403 for others', async () => {
    const slug = `sums-${market.buyer.id.slice(-8)}`
    const { token } = market.buyer
    const { body: made } = await service.http<{ id: string }>('POST', '/organizations', {
      token,
      body: { slug, name: 'Sums' },
    })
    const { body: wallet } = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token })
    await fund(service, { ...market.buyer, walletId: wallet.id }, 12)
    const member = await registerHuman(service)
    await joinOrganization(service, market.buyer, member, { slug, role: 'MEMBER' })
    const query = { ownerType: 'ORGANIZATION', ownerId: made.id }
    assert.deepEqual(await periods(member, query), [['fund', 'IN', '12.00', 1]])
    assert.equal((await totals(market.outsider, query)).status, 403)
    assert.equal((await totals(market.outsider, { ownerId: market.buyer.id })).status, 403)
    assert.equal((await totals(market.outsider, { ownerType: 'ORGANIZATION' })).status, 404)
  })

  test('want a known time zone and a moment that is not too long ago', async () => {
    // Node knows ECT and US/Pacific-New, PostgreSQL does not.
    for (const timeZone of ['Mars/Base', 'ECT', 'US/Pacific-New']) {
      const { status, body } = await totals(market.buyer, { timeZone })
      assert.equal(status, 400, timeZone)
      assert.match(String(body.message), /timeZone/)
    }
    assert.equal((await totals(market.buyer, { timeZone: 'america/new_york' })).status, 200)
    const old = { from: new Date(Date.parse(today) - 401 * 86_400_000).toISOString(), unit: 'day' }
    assert.equal((await totals(market.buyer, old)).status, 400)
    assert.equal((await totals(market.buyer, { ...old, unit: 'week' })).status, 200)
    assert.equal((await as(market, 'buyer', '/wallets/totals')).status, 400)
  })
})
