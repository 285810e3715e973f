import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cancelUnfundedDealsOf } from '#ap2'
import {
  acceptedDeal,
  as,
  must,
  negotiate,
  openMarket,
  publishAgent,
  readDeal,
  registerHuman,
  sharedService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

type Refusal = { message: string | string[]; details?: Record<string, unknown> }
const offer = (body: Record<string, unknown>) =>
  as<Refusal & DealView>(market, 'buyer', '/ap2/negotiate', {
    responderAgentId: market.agent.id,
    requestedService: 'Notes',
    budget: 100,
    ...body,
  })
const answer = (role: 'buyer' | 'seller', id: string, body: object) =>
  as<Refusal & DealView>(market, role, '/ap2/respond', { negotiationId: id, ...body })

test('the price goes back and forth until one side accepts what the other put on the table', async () => {
  const { id } = await negotiate(market)
  const countered = await answer('seller', id, {
    status: 'COUNTERED',
    price: 140,
    terms: 'in a week',
    estimatedDelivery: '7 days',
  })
  assert.deepEqual(
    [countered.body.status, countered.body.price, countered.body.proposedBudget, countered.body.round],
    ['COUNTERED', 140, 100, 2],
  )
  const again = await answer('buyer', id, { action: 'counter', counterPrice: '120.50' })
  assert.deepEqual(
    [again.body.price, again.body.proposedBudget],
    [120.5, 120.5],
    "a buyer's counter is the new budget",
  )
  const accepted = await answer('seller', id, { status: 'ACCEPTED', price: 120.5, round: 3 })
  assert.deepEqual([accepted.status, accepted.body.status, accepted.body.phase], [201, 'ACCEPTED', 'ACCEPT'])
})

test('two names of one value must agree', async () => {
  const other = await publishAgent(market.service, market.agent.owner)
  assert.equal((await offer({ responderSlug: market.agent.slug })).status, 201)
  for (const [body, message] of [
    [
      { responderSlug: other.slug },
      'responderAgentId and responderSlug name different agents: send one of them',
    ],
    [{ service: 'Something else' }, 'requestedService and service differ: send one of them'],
  ] as const) {
    const refused = await offer(body)
    assert.deepEqual([refused.status, refused.body.message], [400, [message]])
  }
  const { id } = await negotiate(market)
  for (const [body, message] of [
    [
      { status: 'COUNTERED', price: 140, counterPrice: 141 },
      'price and counterPrice differ: send one of them',
    ],
    [{ status: 'COUNTERED', action: 'accept', price: 140 }, 'status and action differ: send one of them'],
  ] as const) {
    const refused = await answer('seller', id, body)
    assert.deepEqual([refused.status, refused.body.message], [400, [message]])
  }
  assert.equal(
    (
      await answer('seller', id, {
        status: 'COUNTERED',
        action: 'counter',
        price: '140.0',
        counterPrice: 140,
      })
    ).status,
    201,
  )
})

test('to accept another price than the one on the table is refused: above the budget 400, else 409', async () => {
  const { id } = await negotiate(market)
  assert.equal((await answer('seller', id, { status: 'ACCEPTED', price: 101 })).status, 400)
  const lower = await answer('seller', id, { status: 'ACCEPTED', price: 99 })
  assert.deepEqual([lower.status, lower.body.details], [409, { price: '100.00' }])
})

test('nobody answers their own offer, and nobody answers a round that is past', async () => {
  const { id } = await negotiate(market)
  const own = await answer('buyer', id, { status: 'ACCEPTED' })
  assert.deepEqual([own.status, own.body.details], [409, { turn: 'seller' }])
  await answer('seller', id, { status: 'COUNTERED', price: 110 })
  assert.equal((await answer('buyer', id, { status: 'ACCEPTED', round: 1 })).status, 409)
  assert.equal((await answer('buyer', id, { status: 'ACCEPTED', round: 2 })).status, 201)
})

test('after 10 rounds a side accepts or rejects', async () => {
  const { id } = await negotiate(market)
  for (let round = 2; round <= 10; round++)
    assert.equal(
      (await answer(round % 2 ? 'buyer' : 'seller', id, { status: 'COUNTERED', price: 100 + round })).status,
      201,
    )
  const eleventh = await answer('buyer', id, { status: 'COUNTERED', price: 90 })
  assert.deepEqual(
    [eleventh.status, String(eleventh.body.message).startsWith('Too many rounds')],
    [409, true],
  )
  assert.equal((await answer('buyer', id, { status: 'ACCEPTED' })).status, 201)
})

test('agreed milestones follow the price in proportion', async () => {
  const { body } = await offer({
    milestones: [
      { key: 'draft', amount: 40 },
      { key: 'final', title: 'The final text', amount: 60 },
    ],
  })
  const countered = await answer('seller', body.id, { status: 'COUNTERED', price: 150 })
  assert.deepEqual(
    (countered.body as unknown as { milestones: { amount: string }[] }).milestones.map(each => each.amount),
    ['60.00', '90.00'],
  )
})

for (const [what, body, status] of [
  ['an unknown agent', { responderAgentId: '0198c0de-0000-7000-8000-000000000001' }, 404],
  ['an unknown id', { responderAgentId: 'x' }, 404],
  ['no agent', { responderAgentId: undefined }, 400],
  ['no service', { requestedService: ' ' }, 400],
  ['no money', { budget: 0 }, 400],
  ['a budget below zero', { budget: -1 }, 400],
  ['a budget with 7 decimals', { budget: '1.0000001' }, 400],
  ['null for a budget', { budget: null }, 400],
  ['milestones that sum to something else', { milestones: [{ key: 'a', amount: 1 }] }, 400],
  ['a deadline in the past', { deliverBy: '2020-01-01T00:00:00Z' }, 400],
  ['an invalid deadline', { deliverBy: 'soon' }, 400],
  ['31 days to release', { autoReleaseDays: 31 }, 400],
  ['an acceptance rule that is no schema', { requirements: { outputSchema: { type: 'nonsense' } } }, 400],
  ['an acceptance rule that is a list', { requirements: { outputSchema: [] } }, 400],
  [
    'an acceptance rule that refers elsewhere',
    { requirements: { outputSchema: { $ref: 'https://example.com/schema' } } },
    400,
  ],
  ['somebody else as the buyer', { buyerId: '0198c0de-0000-7000-8000-000000000001' }, 403],
  ['an agent of somebody else as the requester', { requesterAgentId: 'of the seller' }, 403],
] as const) {
  test(`an offer with ${what} is refused with ${status}`, async () => {
    const answered = await offer({
      ...body,
      ...('requesterAgentId' in body ? { requesterAgentId: market.agent.id } : {}),
    })
    assert.equal(answered.status, status, answered.text)
  })
}

test('an agent that is not published, or suspended, makes no deals', async () => {
  const draft = await service.http<{ id: string }>('POST', '/agents', {
    token: market.outsider.token,
    body: { name: 'Draft' },
  })
  const refused = await offer({ responderAgentId: draft.body.id })
  assert.deepEqual([refused.status, String(refused.body.message).split(':')[0]], [400, 'Agent not published'])
  const { id } = await negotiate(market)
  await must(market, 'operator', `/admin/agents/${market.agent.id}/suspend`, { reason: 'test' })
  assert.equal((await offer({})).status, 403)
  assert.equal((await answer('seller', id, { status: 'ACCEPTED' })).status, 403)
  await must(market, 'operator', `/admin/agents/${market.agent.id}/reinstate`, { reason: 'test' })
  assert.equal((await answer('seller', id, { status: 'ACCEPTED' })).status, 201)
})

test('above 1000 USD a seller needs a tier: on the offer, on a counter', async () => {
  const refused = await offer({ budget: 1000.01 })
  assert.deepEqual(
    [refused.status, String(refused.body.message).split(':')[0]],
    [400, 'Insufficient trust tier'],
  )
  const {
    body: { id },
  } = await offer({ budget: 1000 })
  assert.equal((await answer('seller', id, { status: 'COUNTERED', price: 1001 })).status, 400)
})

test('deals between agents of one owner are marked', async () => {
  const own = await publishAgent(service, market.buyer)
  const { body } = await offer({ responderAgentId: own.id })
  assert.equal((body as unknown as { selfDeal: boolean }).selfDeal, true)
  const other = await offer({})
  assert.equal((other.body as unknown as { selfDeal: boolean }).selfDeal, false)
})

test('an agent buys with its own key and from its own wallet', async () => {
  const person = await registerHuman(service)
  const buying = await publishAgent(service, person)
  const made = await service.http<DealView & { requesterAgent: { id: string } }>('POST', '/ap2/negotiate', {
    headers: { 'x-agent-api-key': buying.apiKey },
    body: { responderSlug: market.agent.slug, service: 'Notes', budget: 5 },
  })
  assert.deepEqual([made.status, made.body.requesterAgent.id], [201, buying.id])
  await must(market, 'seller', '/ap2/respond', { negotiationId: made.body.id, action: 'accept' })
  const initiate = () =>
    service.http<Refusal & { escrow: { buyerWalletId: string } }>('POST', '/payments/ap2/initiate', {
      token: person.token,
      body: { negotiationId: made.body.id },
    })
  assert.deepEqual((await initiate()).body.message, 'Insufficient balance')
  await must(market, 'operator', '/wallets/admin/test-credit', {
    walletId: buying.walletId,
    amount: 5,
    reason: 'test',
  })
  assert.equal((await initiate()).body.escrow.buyerWalletId, buying.walletId)
})

test('the inbox of an agent holds what waits for it, and for nobody else', async () => {
  const agent = await publishAgent(service, await registerHuman(service))
  const {
    body: { id },
  } = await offer({ responderAgentId: agent.id })
  const inbox = async () =>
    (
      await service.http<{ items: DealView[] }>('GET', `/agents/${agent.id}/inbox`, {
        headers: { 'x-agent-api-key': agent.apiKey },
      })
    ).body.items.map(item => item.id)
  assert.deepEqual(await inbox(), [id])
  await service.http('POST', '/ap2/respond', {
    headers: { 'x-agent-api-key': agent.apiKey },
    body: { negotiationId: id, status: 'COUNTERED', price: 90 },
  })
  assert.deepEqual(await inbox(), [])
  assert.equal((await as(market, 'outsider', `/agents/${agent.id}/inbox`)).status, 403)
  assert.equal((await as(market, 'outsider', '/agents/none/inbox')).status, 404)
})

test('a deal is read by its parties alone, and an unknown one is 400', async () => {
  const { id } = await negotiate(market)
  assert.equal((await as(market, 'outsider', `/ap2/negotiations/${id}`)).status, 403)
  assert.equal((await readDeal(market, id, 'operator')).id, id)
  for (const unknown of ['none', '0198c0de-0000-7000-8000-000000000001']) {
    const answered = await as<Refusal>(market, 'buyer', `/ap2/negotiations/${unknown}`)
    assert.deepEqual(
      [answered.status, String(answered.body.message).split(':')[0]],
      [400, 'Negotiation not found'],
    )
  }
  const mine = await must<{ items: DealView[]; total: number }>(market, 'outsider', '/ap2/negotiations')
  assert.equal(mine.total, 0)
})

test('an account that is deleted takes its offers with it', async () => {
  const person = await registerHuman(service)
  const made = await service.http<DealView>('POST', '/ap2/negotiate', {
    token: person.token,
    body: { responderAgentId: market.agent.id, requestedService: 'Notes', budget: 5 },
  })
  await service.services.db.transaction(tx => cancelUnfundedDealsOf(tx, [person.id]))
  assert.equal((await readDeal(market, made.body.id, 'seller')).status, 'CANCELLED')
})

test('refusals of the first deal say what to do', async () => {
  const person = await registerHuman(service)
  const draft = await service.http<{ id: string }>('POST', '/agents', {
    token: person.token,
    body: { name: 'Draft' },
  })
  const hintOf = async (role: 'buyer' | 'seller', path: string, body: object) =>
    (await as<{ hint: string }>({ ...market, buyer: person }, role, path, body)).body.hint
  const offer = { responderAgentId: draft.body.id, requestedService: 'Notes', budget: 5 }
  assert.match(await hintOf('buyer', '/ap2/negotiate', offer), /POST \/agents\/\{id\}\/publish/)
  const { id: negotiationId } = await acceptedDeal({ ...market, buyer: person })
  const delivery = { negotiationId, result: 'done' }
  assert.match(
    await hintOf('seller', '/ap2/deliver', delivery),
    /buyer has to pay .*\/payments\/ap2\/initiate/,
  )
  assert.match(
    await hintOf('buyer', '/payments/ap2/initiate', { negotiationId }),
    /POST \/wallets\/\{id\}\/fund/,
  )
})
