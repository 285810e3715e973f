import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  as,
  heldDeal,
  must,
  openMarket,
  readDeal,
  readEscrow,
  sharedService,
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

const page = (name: string): string => `${service.baseUrl}/sandbox/pages/${name}`
interface Refused {
  message: string
  details: { code: string }
}

test('a page named as a hint never replaces the delivered page', async () => {
  const { id } = await heldDeal(market)
  const { status, body, text } = await as<Refused>(market, 'seller', '/ap2/deliver', {
    negotiationId: id,
    deliverableUrl: page('missing'),
    verificationHints: { url: page('ok') },
  })
  assert.deepEqual([status, body.details.code], [400, 'bad_status'], text)
})

test('a rule that asks to be checked asynchronously is checked all the same', async () => {
  const { id } = await heldDeal(market, { requirements: { outputSchema: { $async: true, type: 'string' } } })
  const { status, body, text } = await as<Refused>(market, 'seller', '/ap2/deliver', {
    negotiationId: id,
    result: 5,
  })
  assert.deepEqual([status, body.details.code], [400, 'schema_mismatch'], text)
})

test('a late verdict on a paid milestone is stored without a new deadline', async t => {
  const deal = await heldDeal(market, {
    milestones: [
      { key: 'a', amount: 60 },
      { key: 'b', amount: 40 },
    ],
  })
  const opened = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { verifier } = service.services
  const check = verifier.checkAll.bind(verifier)
  t.mock.method(verifier, 'checkAll', async (...given: Parameters<typeof check>) => {
    opened.resolve()
    await gate.promise
    return check(...given)
  })
  const delivering = as(market, 'seller', '/ap2/deliver', {
    negotiationId: deal.id,
    milestoneKey: 'a',
    deliverableUrl: page('ok'),
  })
  await opened.promise
  await must(market, 'buyer', '/payments/ap2/release', {
    escrowId: deal.escrowId,
    milestoneKey: 'a',
    acceptUnverified: true,
  })
  gate.resolve()
  const { status, text } = await delivering
  assert.equal(status, 201, text)
  const { milestones, autoReleaseAt } = await readEscrow(market, deal.escrowId)
  assert.deepEqual([milestones.map(each => each.deliveryStatus), autoReleaseAt], [['VERIFIED', 'NONE'], null])
  assert.equal((await readDeal(market, deal.id)).status, 'IN_PROGRESS')
})
