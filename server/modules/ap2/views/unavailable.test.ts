import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import {
  acceptedDeal,
  must,
  openMarket,
  reservedDeal,
  sharedService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

interface Seen extends DealView {
  unavailableAgent: { party: string; code: string } | null
}

suite('a deal whose agent takes no deals', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
  })
  beforeEach(async () => {
    market = await openMarket(service, { amount: 300 })
  })
  after(() => service.close())

  const change = (action: 'suspend' | 'reinstate') =>
    must(market, 'operator', `/admin/agents/${market.agent.id}/${action}`, { reason: 'test' })
  const changeOwner = (action: 'suspend' | 'reinstate') =>
    must(market, 'operator', `/admin/users/${market.agent.owner.id}/${action}`, { reason: 'test' })
  const setStatus = (status: 'PAUSED' | 'ACTIVE') =>
    service.http('PATCH', `/agents/${market.agent.id}`, { token: market.agent.owner.token, body: { status } })
  const read = (id: string) => must<Seen>(market, 'buyer', `/ap2/negotiations/${id}`)
  const initiate = (negotiationId: string) =>
    service.http<{ code: string }>('POST', '/payments/ap2/initiate', {
      token: market.buyer.token,
      body: { negotiationId },
    })
  const about = ({ unavailableAgent, allowedActions }: Seen) => [
    unavailableAgent && `${unavailableAgent.party} ${unavailableAgent.code}`,
    [...allowedActions].sort().join(' '),
  ]

  const WAYS = {
    'is suspended': ['AGENT_SUSPENDED', () => change('suspend'), () => change('reinstate')],
    'has a suspended owner': [
      'AGENT_SUSPENDED',
      () => changeOwner('suspend'),
      () => changeOwner('reinstate'),
    ],
    'is paused': ['AGENT_NOT_PUBLISHED', () => setStatus('PAUSED'), () => setStatus('ACTIVE')],
  } as const
  for (const [what, [code, end, begin]] of Object.entries(WAYS))
    test(`offers no payment while the seller ${what}, and names the reason`, async () => {
      const { id } = await acceptedDeal(market)
      assert.deepEqual(about(await read(id)), [null, 'cancel fund'])
      await end()
      assert.deepEqual(about(await read(id)), [`seller ${code}`, 'cancel'])
      assert.equal((await initiate(id)).body.code, code)
      await begin()
      assert.deepEqual(about(await read(id)), [null, 'cancel fund'])
      assert.equal((await initiate(id)).status, 201)
      await end()
      const funded = await read(id)
      assert.deepEqual([funded.unavailableAgent, funded.status], [null, 'ESCROWED'], 'it is paid')
    })

  test('cannot be accepted or countered while the seller is suspended', async () => {
    const { id } = await must<Seen>(market, 'buyer', '/ap2/negotiate', {
      responderAgentId: market.agent.id,
      requestedService: 'A logo',
      budget: 100,
    })
    const asSeller = async () =>
      (await must<Seen>(market, 'seller', `/ap2/negotiations/${id}`)).allowedActions.toSorted()
    assert.deepEqual(await asSeller(), ['accept', 'counter', 'reject'])
    await change('suspend')
    assert.deepEqual(await asSeller(), ['reject'])
  })

  test('whose payment arrived for a suspended seller says where the money is', async () => {
    const { id, escrowId, page } = await reservedDeal(market)
    await change('suspend')
    assert.deepEqual(about(await read(id)), ['seller AGENT_SUSPENDED', 'cancel'])
    const paid = await service.http('POST', page, { body: { paymentMethodId: 'pm_card_visa' } })
    assert.equal(paid.status, 200)
    const completed = await must<{ status: string; message: string }>(
      market,
      'buyer',
      '/payments/ap2/complete',
      { escrowId, status: 'SETTLED' },
    )
    assert.deepEqual(
      [completed.status, completed.message],
      ['CANCELLED', "The seller was suspended before the payment arrived: it is in the buyer's wallet"],
    )
  })
})
