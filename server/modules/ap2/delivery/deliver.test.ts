import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import {
  as,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  readDeal,
  readEscrow,
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

interface Delivered {
  message: string
  details: {
    code: string
    reason: string
    status: number | null
    finalUrl: string | null
    deliveryId: string
  }
  delivery: {
    id: string
    status: string
    attempt: number
    screenshotUrl: string | null
    report: { verifier: string; status: number; finalUrl: string; sha256: string }
  }
  negotiation: DealView
}
const page = (name: string): string => `${service.baseUrl}/sandbox/pages/${name}`
const deliver = (deal: DealView, body: object) =>
  as<Delivered>(market, 'seller', '/ap2/deliver', {
    negotiationId: deal.id,
    ...body,
  })

test('a page that is there is verified: status, final URL, hash and a picture for the parties', async () => {
  const deal = await heldDeal(market)
  const { status, body, text } = await deliver(deal, {
    deliverableUrl: page('ok'),
    verificationHints: { expectText: 'Release notes' },
  })
  assert.equal(status, 201, text)
  assert.deepEqual(
    [
      body.delivery.status,
      body.delivery.report.status,
      body.delivery.report.finalUrl,
      body.negotiation.status,
    ],
    ['VERIFIED', 200, page('ok'), 'DELIVERED'],
  )
  assert.match(body.delivery.report.sha256, /^[0-9a-f]{64}$/)
  if (body.delivery.report.verifier !== 'chromium') return
  const picture = await fetch(service.baseUrl + body.delivery.screenshotUrl, {
    headers: { authorization: `Bearer ${market.buyer.token}` },
  })
  assert.equal(picture.headers.get('content-type'), 'image/png')
  assert.equal(
    Buffer.from(await picture.arrayBuffer())
      .subarray(1, 4)
      .toString(),
    'PNG',
  )
  assert.equal((await as(market, 'outsider', body.delivery.screenshotUrl ?? '')).status, 403)
})

for (const [what, url, code] of [
  ['that is missing', () => page('missing'), 'bad_status'],
  ['that leads to a private address', () => page('redirect-private'), 'private_address'],
  ['at a private address', () => 'http://10.0.0.1/', 'private_address'],
  ['on the machine of the developer', () => 'http://localhost:3000/', 'port'],
  ['of this service that is no trial page', () => `${service.baseUrl}/docs`, 'private_address'],
  ['in a file', () => 'file:///etc/passwd', 'bad_url'],
  ['that is no address', () => 'nonsense', 'bad_url'],
] as const) {
  test(`a page ${what} fails with its reason; the delivery can be sent again`, async () => {
    const deal = await heldDeal(market)
    const failed = await deliver(deal, { deliverableUrl: url() })
    assert.deepEqual(
      [failed.status, failed.body.message.split(':')[0], failed.body.details.code],
      [400, 'Verification failed', code],
      failed.text,
    )
    assert.ok(failed.body.details.reason)
    if (code === 'port') assert.match(failed.body.details.reason, /VERIFIER_ALLOW_PRIVATE=localhost:3000/)
    const stored = await readEscrow(market, deal.escrowId)
    assert.deepEqual(
      [stored.deliveryStatus, stored.deliveries[0]?.id, (await readDeal(market, deal.id)).status],
      ['FAILED', failed.body.details.deliveryId, 'IN_PROGRESS'],
    )
    assert.equal(
      (await as(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })).status,
      409,
    )
    const again = await deliver(deal, { result: 'this time by hand' })
    assert.deepEqual(
      [again.status, again.body.delivery.attempt, again.body.delivery.status],
      [201, 2, 'VERIFIED'],
    )
  })
}

test('a result is held against the agreed schema', async () => {
  const requirements = {
    outputSchema: {
      type: 'object',
      required: ['notes'],
      properties: { notes: { type: 'string', minLength: 3 } },
    },
  }
  const deal = await heldDeal(market, { requirements })
  const short = await deliver(deal, { result: { notes: 'no' } })
  assert.deepEqual([short.status, short.body.details.code], [400, 'schema_mismatch'])
  assert.match(short.body.details.reason, /\/notes/)
  assert.equal((await deliver(deal, { result: { notes: 'all of them' } })).status, 201)
})

test("without an agreed schema it is the agent's own, as it was when the money was held", async () => {
  const owner = await registerHuman(service)
  const other: Market = {
    ...market,
    agent: await publishAgent(service, owner, { outputSchema: { type: 'array' } }),
  }
  const deal = await heldDeal(other)
  await service.http('PATCH', `/agents/${other.agent.id}`, {
    token: owner.token,
    body: { outputSchema: { type: 'string' } },
  })
  assert.equal(
    (await as(other, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'text' })).status,
    400,
  )
  assert.equal(
    (await as(other, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: [] })).status,
    201,
  )
})

test('samples of a result are no rule for it', async () => {
  const owner = await registerHuman(service)
  const agent = await publishAgent(service, owner, { outputSchema: { examples: ['Done.'] } })
  const other: Market = { ...market, agent }
  const { id: negotiationId } = await heldDeal(other)
  const answer = await as<{ delivery: { status: string } }>(other, 'seller', '/ap2/deliver', {
    negotiationId,
    result: [1],
  })
  assert.deepEqual([answer.status, answer.body.delivery.status], [201, 'VERIFIED'])
})

test('a schema whose pattern never ends stops nobody: the check gives up', async () => {
  const deal = await heldDeal(market, {
    requirements: { outputSchema: { type: 'string', pattern: '^(a+)+$' } },
  })
  const waiting = deliver(deal, { result: `${'a'.repeat(40)}!` })
  const first = await Promise.race([
    waiting.then(() => 'the check'),
    service.http('GET', '/healthz').then(() => 'another request'),
  ])
  assert.equal(first, 'another request', 'the service stood still')
  const { status, body } = await waiting
  assert.deepEqual([status, body.details.code], [400, 'schema_timeout'])
})

for (const [what, body] of [
  ['nothing', {}],
  ['notes alone', { notes: 'done' }],
  ['null', { result: null }],
  ['an empty list', { artifacts: [] }],
  ['evidence alone', { evidence: { seen: true } }],
] as const) {
  test(`to deliver ${what} is 400, and is no attempt`, async () => {
    const deal = await heldDeal(market)
    assert.equal((await deliver(deal, body)).status, 400)
    assert.equal((await readEscrow(market, deal.escrowId)).deliveries.length, 0)
  })
}

test("both routes deliver, and to another negotiation's escrow neither", async () => {
  const [deal, other] = [await heldDeal(market), await heldDeal(market)]
  const path = `/payments/escrow/${deal.escrowId}/deliver`
  assert.equal((await as(market, 'seller', path, { negotiationId: other.id, result: 'x' })).status, 400)
  assert.equal(
    (await as(market, 'seller', path, { result: 'x', artifacts: [{ name: 'notes.md', sha256: 'ab' }] }))
      .status,
    201,
  )
  assert.equal(
    (await as(market, 'buyer', `/payments/escrow/${other.escrowId}/deliver`, { result: 'x' })).status,
    403,
  )
  assert.equal((await as(market, 'seller', '/payments/escrow/none/deliver', { result: 'x' })).status, 404)
  const [attempt] = (await readEscrow(market, deal.escrowId)).deliveries
  const read = await must<{ result: string; artifacts: unknown[] }>(market, 'buyer', attempt?.url ?? '')
  assert.deepEqual([read.result, read.artifacts], ['x', [{ name: 'notes.md', sha256: 'ab' }]])
  assert.equal((await as(market, 'outsider', attempt?.url ?? '')).status, 403)
  assert.equal(
    (await as(market, 'buyer', `/payments/escrow/${other.escrowId}/deliveries/${attempt?.id}`)).status,
    404,
  )
})

test('while one delivery is being looked at, a second waits its turn', async () => {
  const deal = await heldDeal(market)
  const answers = await Promise.all([
    deliver(deal, { deliverableUrl: page('ok') }),
    deliver(deal, {
      deliverableUrl: page('ok'),
    }),
  ])
  assert.deepEqual(
    answers.map(answer => answer.status).sort((a, b) => a - b),
    [201, 409],
    answers.map(answer => answer.text).join(),
  )
})

test('one Idempotency-Key delivers once', async () => {
  const deal = await heldDeal(market)
  const send = () =>
    service.http<Delivered>('POST', '/ap2/deliver', {
      headers: { 'x-agent-api-key': market.agent.apiKey, 'idempotency-key': deal.id },
      body: { negotiationId: deal.id, result: 'once' },
    })
  const [first, second] = [await send(), await send()]
  assert.deepEqual(
    [first.status, second.status, second.headers.get('idempotency-replayed')],
    [201, 201, 'true'],
  )
  assert.equal(second.body.delivery.id, first.body.delivery.id)
})

test('a delivery that a crash left without a verdict is taken up again', async () => {
  const deal = await heldDeal(market)
  const failed = await deliver(deal, { deliverableUrl: page('missing') })
  const { db, clock } = service.services
  const { deliveryId } = failed.body.details
  await db.transaction(async tx => {
    await tx.run(
      sql`update ap2_delivery set status = 'VERIFYING', report = null, deliverable_url = ${page('ok')}, verify_again_at = ${clock.now()} where id = ${deliveryId}`,
    )
    await tx.run(
      sql`update ap2_milestone set delivery_status = 'VERIFYING' where escrow_id = ${deal.escrowId}`,
    )
  })
  const deadline = Date.now() + 60_000
  while ((await readDeal(market, deal.id)).status !== 'DELIVERED' && Date.now() < deadline) await sleep(200)
  const escrow = await readEscrow(market, deal.escrowId)
  assert.deepEqual(
    [escrow.deliveries.map(each => each.status), escrow.deliveryStatus],
    [['VERIFIED'], 'VERIFIED'],
  )
})

test('a delivery that arrives while the escrow is refunded does not bring it back', async () => {
  const deal = await heldDeal(market)
  const [delivered, refunded] = await Promise.all([
    deliver(deal, { deliverableUrl: page('ok') }),
    as(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {}),
  ])
  assert.equal(refunded.status, 201, refunded.text)
  assert.ok([201, 400, 409].includes(delivered.status), delivered.text)
  assert.equal((await readEscrow(market, deal.escrowId)).status, 'REFUNDED')
})

test('changes can be asked for three times, then it is release or dispute', async () => {
  const deal = await heldDeal(market)
  for (let round = 0; round < 3; round++) {
    await must(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: `version ${round}` })
    await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/changes`, { reason: `change ${round}` })
    assert.equal((await readEscrow(market, deal.escrowId)).changeRequest?.reason, `change ${round}`)
  }
  await must(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'the last one' })
  const fourth = await as<Delivered>(market, 'buyer', `/payments/escrow/${deal.escrowId}/changes`, {
    reason: 'again',
  })
  assert.deepEqual([fourth.status, fourth.body.message.split(':')[0]], [409, 'Too many changes requested'])
  assert.deepEqual(
    (await readEscrow(market, deal.escrowId)).deliveries.map(each => each.status),
    ['SUPERSEDED', 'SUPERSEDED', 'SUPERSEDED', 'VERIFIED'],
  )
})
