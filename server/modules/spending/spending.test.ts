import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  claimedAgent,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  startTestService,
  type ListedAgent,
  type Market,
  type TestService,
} from '#test'

interface BudgetView {
  monthlyLimit: string | null
  remaining: string | null
  spentThisPeriod: string
  resetsOn: string | null
  currency: string
  approvalMode: string
  autoReload: boolean
}
const ROUTES = [
  ['PATCH', 'budget'],
  ['PUT', 'autonomy-policy'],
] as const
interface Refusal {
  code: string
  id: string
  escrowId: string
  status: string
}

suite('budget and autonomy policy of an agent', () => {
  let service: TestService
  let market: Market
  /** Buys for the buyer of the market. */
  let buyer: ListedAgent
  /** A key of its owner that may fund. */
  let key: string
  before(async () => {
    service = await startTestService()
    market = await openMarket(service)
    buyer = await publishAgent(service, market.buyer)
    const credit = { walletId: buyer.walletId, amount: 10_000, reason: 'test' }
    await must(market, 'operator', '/wallets/admin/test-credit', credit)
    const made = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
      token: market.buyer.token,
      body: { name: 'Buyer' },
    })
    key = made.body.apiKey
  })
  after(() => service.close())

  const send = <Body = Refusal>(method: string, path: string, body?: object, token = market.buyer.token) =>
    service.http<Body>(method, path, { token, body })
  const setBudget = async (body: object, agent = buyer) => {
    const answer = await send<BudgetView>('PATCH', `/agents/${agent.id}/budget`, body)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const budget = async (agent = buyer) => (await send<BudgetView>('GET', `/agents/${agent.id}/budget`)).body
  const setPolicy = async (body: object, { id, token } = { id: buyer.id, token: market.buyer.token }) => {
    const answer = await send('PUT', `/agents/${id}/autonomy-policy`, body, token)
    assert.equal(answer.status, 200, answer.text)
  }
  const lift = async () => {
    await setPolicy({})
    const none = { monthlyLimit: null, perTransactionLimit: null, approvalThreshold: null }
    await setBudget({ ...none, approvalMode: 'AUTO', autoReload: true })
  }
  const offer = (amount: number, token?: string, requesterAgentId = buyer.id) =>
    send(
      'POST',
      '/ap2/negotiate',
      {
        requesterAgentId,
        responderAgentId: market.agent.id,
        requestedService: 'Notes',
        budget: amount,
      },
      token,
    )
  const accepted = async (amount: number) => {
    const { id } = (await offer(amount)).body
    await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
    return id
  }
  const fund = (negotiationId: string, token?: string) =>
    send('POST', '/payments/ap2/initiate', { negotiationId }, token)
  const codeOf = ({ status, body }: { status: number; body: Refusal }) => [status, body.code]

  test('an agent without limits has none, and shows what it spent', async () => {
    const agent = await publishAgent(service, market.buyer)
    const { monthlyLimit, remaining, spentThisPeriod, currency, approvalMode, autoReload } =
      await budget(agent)
    assert.deepEqual(
      [monthlyLimit, remaining, spentThisPeriod, currency, approvalMode, autoReload],
      [null, null, '0.00', 'USD', 'AUTO', true],
    )
  })

  test('applies to a deal of its owner that the wallet of the agent pays', async () => {
    await setBudget({ monthlyLimit: 0 })
    const order = { responderAgentId: market.agent.id, requestedService: 'Notes', budget: 5 }
    const { id: negotiationId } = (await send('POST', '/ap2/negotiate', order)).body
    await must(market, 'seller', '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
    const pay = (sourceWalletId: string, token?: string) =>
      send('POST', '/payments/ap2/initiate', { negotiationId, sourceWalletId }, token)
    assert.deepEqual(codeOf(await pay(buyer.walletId, key)), [403, 'FORBIDDEN'])
    assert.equal((await pay(market.buyer.walletId, key)).status, 201)
    await lift()
  })

  test('counts what is funded, and returns what is refunded to the period', async () => {
    const before = Number((await budget()).spentThisPeriod)
    await setBudget({ monthlyLimit: before + 100 })
    const [first, second] = [await accepted(60), await accepted(60)]
    const { escrowId } = (await fund(first)).body
    assert.equal((await budget()).remaining, '40.00')
    assert.deepEqual(codeOf(await fund(second)), [403, 'BUDGET_EXCEEDED'])
    assert.deepEqual(codeOf(await offer(41)), [403, 'BUDGET_EXCEEDED'])
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    assert.equal((await budget()).remaining, '100.00')
    assert.equal((await fund(second)).status, 201)
    assert.equal((await budget()).remaining, '40.00')
    await lift()
  })

  test('a card payment counts while it is reserved, and not once it failed', async () => {
    const before = Number((await budget()).spentThisPeriod)
    await setBudget({ monthlyLimit: before + 100 })
    const negotiationId = await accepted(70)
    const reserved = await send('POST', '/payments/ap2/initiate', { negotiationId, rail: 'card' })
    assert.equal(reserved.status, 201, reserved.text)
    assert.equal((await budget()).remaining, '30.00')
    await service.advance(2 * 3600)
    assert.equal((await budget()).remaining, '100.00')
    await lift()
  })

  test('exactly as many of 32 concurrent payments succeed as the budget allows', async () => {
    const before = Number((await budget()).spentThisPeriod)
    await setBudget({ monthlyLimit: before + 100 })
    const body = { sourceWalletId: buyer.walletId, destinationWalletId: market.agent.walletId, amount: 10 }
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => send('POST', '/payments/ap2/initiate', body)),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 10)
    const others = answers.filter(({ status }) => status !== 201).map(codeOf)
    assert.deepEqual(
      others,
      Array.from({ length: 22 }, () => [403, 'BUDGET_EXCEEDED']),
    )
    assert.equal((await budget()).remaining, '0.00')
    await lift()
  })

  test('a new month renews the budget unless autoReload is off', async () => {
    const before = await budget()
    const { remaining, autoReload, resetsOn } = await setBudget({
      monthlyLimit: Number(before.spentThisPeriod) + 5,
      autoReload: false,
    })
    assert.deepEqual([remaining, autoReload, resetsOn], ['5.00', false, null])
    const wait = (new Date(before.resetsOn ?? '').getTime() - service.services.clock.now().getTime()) / 1000
    await service.advance(Math.ceil(wait) + 1)
    assert.equal((await budget()).remaining, '5.00')
    const renewed = await setBudget({ autoReload: true, monthlyLimit: 5 })
    assert.deepEqual([renewed.remaining, renewed.spentThisPeriod], ['5.00', '0.00'])
    await lift()
  })

  test('above the threshold only the owner in person accepts and pays', async () => {
    await setBudget({ approvalThreshold: 50 })
    const id = await accepted(51)
    assert.deepEqual(codeOf(await fund(id, key)), [403, 'APPROVAL_REQUIRED'])
    assert.equal((await fund(id)).status, 201)
    assert.equal((await fund(await accepted(50), key)).status, 201)
    await setBudget({ approvalMode: 'MANUAL' })
    const small = await accepted(1)
    assert.deepEqual(codeOf(await fund(small, key)), [403, 'APPROVAL_REQUIRED'])
    const countered = (await offer(1)).body.id
    await must(market, 'seller', '/ap2/respond', { negotiationId: countered, status: 'COUNTERED', price: 2 })
    const accept = { negotiationId: countered, status: 'ACCEPTED' }
    assert.deepEqual(codeOf(await send('POST', '/ap2/respond', accept, key)), [403, 'APPROVAL_REQUIRED'])
    assert.equal((await send('POST', '/ap2/respond', accept)).status, 201)
    await lift()
  })

  const POLICIES: [string, () => object, string][] = [
    ['perDealLimit', () => ({ perDealLimit: 9 }), 'DEAL_LIMIT_EXCEEDED'],
    ['dailyLimit', () => ({ dailyLimit: 0 }), 'DAILY_LIMIT_EXCEEDED'],
    ['a blocked agent', () => ({ blockedCounterparties: [market.agent.id] }), 'COUNTERPARTY_BLOCKED'],
    ['a blocked owner', () => ({ blockedCounterparties: [market.agent.owner.id] }), 'COUNTERPARTY_BLOCKED'],
    ['a list of other agents', () => ({ allowedCounterparties: [buyer.id] }), 'COUNTERPARTY_BLOCKED'],
    ['the tier', () => ({ minimumCounterpartyTier: 'BASIC' }), 'COUNTERPARTY_TIER_TOO_LOW'],
    ['the category', () => ({ categories: ['law'] }), 'CATEGORY_NOT_ALLOWED'],
  ]
  for (const [name, policy, code] of POLICIES) {
    test(`the policy refuses to offer, counter and pay by ${name}`, async () => {
      const [open, ready] = [(await offer(10)).body.id, await accepted(10)]
      await setPolicy(policy())
      assert.deepEqual(codeOf(await offer(10)), [403, code])
      await must(market, 'seller', '/ap2/respond', { negotiationId: open, status: 'COUNTERED', price: 11 })
      for (const body of [{ status: 'COUNTERED', price: 10 }, { status: 'ACCEPTED' }])
        assert.deepEqual(codeOf(await send('POST', '/ap2/respond', { negotiationId: open, ...body })), [
          403,
          code,
        ])
      assert.deepEqual(codeOf(await fund(ready)), [403, code])
      assert.equal(
        (await send('POST', '/ap2/respond', { negotiationId: open, status: 'REJECTED' })).status,
        201,
      )
      await lift()
    })
  }

  test('a policy that fits allows the deal; the budget limits each payment', async () => {
    await setPolicy({ allowedCounterparties: [market.agent.id], categories: ['GENERAL'], perDealLimit: 10 })
    assert.equal((await fund(await accepted(10))).status, 201)
    await setBudget({ perTransactionLimit: 5 })
    assert.deepEqual(codeOf(await offer(6)), [403, 'TRANSACTION_LIMIT_EXCEEDED'])
    await lift()
  })

  test("a seller's policy stops its key from accepting, and its threshold asks for the owner", async () => {
    const seller = { id: market.agent.id, token: market.agent.owner.token }
    const { id } = (await offer(100)).body
    const accept = { negotiationId: id, status: 'ACCEPTED' }
    const byKey = () =>
      service.http<Refusal>('POST', '/ap2/respond', {
        headers: { 'x-agent-api-key': market.agent.apiKey },
        body: accept,
      })
    await setPolicy({ blockedCounterparties: [buyer.id] }, seller)
    assert.deepEqual(codeOf(await byKey()), [403, 'COUNTERPARTY_BLOCKED'])
    await setPolicy({ approvalThreshold: 99 }, seller)
    assert.deepEqual(codeOf(await byKey()), [403, 'APPROVAL_REQUIRED'])
    assert.equal((await send('POST', '/ap2/respond', accept, seller.token)).status, 201)
    // The buyer may accept a counter without another word of the seller.
    const counter = async (price: number, by: { token?: string; headers?: Record<string, string> }) => {
      const body = { negotiationId: (await offer(80)).body.id, status: 'COUNTERED', price }
      return codeOf(await service.http<Refusal>('POST', '/ap2/respond', { ...by, body }))
    }
    const agentKey = { headers: { 'x-agent-api-key': market.agent.apiKey } }
    assert.deepEqual(await counter(100, agentKey), [403, 'APPROVAL_REQUIRED'])
    assert.deepEqual(await counter(90, agentKey), [201, undefined])
    assert.deepEqual(await counter(100, { token: seller.token }), [201, undefined])
    await setPolicy({}, seller)
  })

  test('budget and policy belong to the owner alone, not to the creator or a key of the agent', async () => {
    const creator = await registerHuman(service)
    const agent = await claimedAgent(service, creator, market.buyer)
    const bound = await send<{ apiKey: string }>('POST', '/api/v1/keys', { name: 'Bound', agentId: agent.id })
    for (const token of [creator.token, bound.body.apiKey]) {
      assert.equal((await send('GET', `/agents/${agent.id}/budget`, undefined, token)).status, 200)
      assert.equal((await send('GET', `/agents/${agent.id}/autonomy-policy`, undefined, token)).status, 200)
      assert.equal((await send('PATCH', `/agents/${agent.id}/budget`, {}, token)).status, 403)
      assert.equal((await send('PUT', `/agents/${agent.id}/autonomy-policy`, {}, token)).status, 403)
    }
    // The creator negotiates within the policy of the owner.
    await setPolicy({ perDealLimit: 5 }, { id: agent.id, token: market.buyer.token })
    assert.deepEqual(codeOf(await offer(6, creator.token, agent.id)), [403, 'DEAL_LIMIT_EXCEEDED'])
    assert.equal((await offer(5, creator.token, agent.id)).status, 201)
  })

  test('refuses invalid amounts, ids and read-only values with 400', async () => {
    for (const body of [{ monthlyLimit: -1 }, { monthlyLimit: '1e3' }, { approvalMode: 'OFF' }])
      assert.equal((await send('PATCH', `/agents/${buyer.id}/budget`, body)).status, 400)
    const ids = { allowedCounterparties: ['nobody'] }
    assert.equal((await send('PUT', `/agents/${buyer.id}/autonomy-policy`, ids)).status, 400)
    const own = { agentId: buyer.id }
    for (const [method, path] of ROUTES) {
      const refused = await send(method, `/agents/${buyer.id}/${path}`, own)
      assert.match(`${refused.status} ${refused.text}`, /^400 .*agentId cannot be set here/)
    }
  })

  // A mistyped name would leave a limit as it is, or remove it.
  test('refuses unknown fields with 400, and changes nothing', async () => {
    await setBudget({ monthlyLimit: 50 })
    await setPolicy({ perDealLimit: 20 })
    for (const [method, path] of ROUTES) {
      const refused = await send(method, `/agents/${buyer.id}/${path}`, { monthly: 10 })
      assert.match(`${refused.status} ${refused.text}`, /^400 .*unknown field monthly/)
    }
    const policy = await send<{ perDealLimit: string }>('GET', `/agents/${buyer.id}/autonomy-policy`)
    assert.deepEqual([(await budget()).monthlyLimit, policy.body.perDealLimit], ['50.00', '20.00'])
    await lift()
  })
})
