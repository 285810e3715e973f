import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import canonicalize from 'canonicalize'
import {
  acceptedDeal,
  as,
  eventually,
  heldDeal,
  must,
  openMarket,
  reservedDeal,
  sharedService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

interface Signed {
  terms: Record<string, unknown>
  sha256: string
  jws: string
}

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

const path = (deal: DealView) => `/ap2/negotiations/${deal.id}/terms`

/** The payload of a JWS that a key of the key set signed; null for any other. */
async function payloadOf(jws: string): Promise<string | null> {
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const { kid, alg, typ } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, string>
  assert.deepEqual([alg, typ], ['EdDSA', 'deal-terms+jws'])
  const { body } = await service.http<{ keys: Record<string, string>[] }>('GET', '/.well-known/jwks.json')
  const jwk = body.keys.find(key => key.kid === kid)
  assert.ok(jwk, 'the key is published')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const isValid = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
  return isValid ? Buffer.from(payload, 'base64url').toString() : null
}

const everything = () => ({
  notes: 'In English',
  requirements: {
    topics: ['b', 'a'],
    ä: 1e21,
    acceptance: [{ key: 'tone', kind: 'rubric', text: 'It reads well' }],
  },
  milestones: [
    { key: 'one', amount: 40 },
    { key: 'two', title: 'Second', amount: 60 },
  ],
})

test('the terms of a deal are the same for both parties, and verify with the key set alone', async () => {
  const deal = await heldDeal(market, everything())
  const signed = await must<Signed>(market, 'buyer', path(deal))
  const other = await must<Signed>(market, 'seller', path(deal))
  assert.deepEqual([other.terms, other.sha256], [signed.terms, signed.sha256])
  const payload = await payloadOf(signed.jws)
  assert.equal(payload, canonicalize(signed.terms))
  assert.equal(
    createHash('sha256')
      .update(payload ?? '')
      .digest('hex'),
    signed.sha256,
  )
  const { price, currency, feeBps, requirements, acceptance, milestones, buyer, seller } = signed.terms
  assert.deepEqual([price, currency, feeBps], ['100.00', 'USD', 2000])
  assert.deepEqual(requirements, { topics: ['b', 'a'], ä: 1e21 })
  assert.deepEqual(acceptance, [{ key: 'tone', kind: 'rubric', weight: 1, text: 'It reads well' }])
  assert.deepEqual(milestones, [
    { key: 'one', title: 'one', amount: '40.00' },
    { key: 'two', title: 'Second', amount: '60.00' },
  ])
  assert.deepEqual(
    [(buyer as Record<string, string>).accountId, (seller as Record<string, string>).agentId],
    [market.buyer.id, market.agent.id],
  )
  const [header, , signature] = signed.jws.split('.')
  const changed = Buffer.from((payload ?? '').replace('"100.00"', '"999.00"')).toString('base64url')
  assert.equal(await payloadOf(`${header}.${changed}.${signature}`), null)
})

test('what happens to a funded deal does not change its terms', async () => {
  const deal = await heldDeal(market)
  const before = await must<Signed>(market, 'buyer', path(deal))
  await must(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'done' })
  await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/changes`, { reason: 'too short' })
  await must(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {})
  assert.deepEqual((await must<Signed>(market, 'buyer', path(deal))).terms, before.terms)
})

test('there are no terms before funding, nor for others than the parties and admins', async () => {
  const unfunded = await acceptedDeal(market)
  const refused = await as<{ message: string }>(market, 'buyer', path(unfunded))
  assert.deepEqual([refused.status, refused.body.message], [404, 'Terms not found'])
  const reserved = await reservedDeal(market)
  assert.equal((await as(market, 'buyer', path(reserved))).status, 404)
  const body = { paymentMethodId: 'pm_card_visa' }
  assert.equal((await service.http('POST', reserved.page, { body })).status, 200)
  await eventually('terms', async () => (await as(market, 'seller', path(reserved))).status === 200)
  const held = await heldDeal(market)
  assert.equal((await as(market, 'outsider', path(held))).status, 403)
  assert.equal((await as(market, 'operator', path(held))).status, 200)
})

test('terms are not signed once a text of them was changed or erased', async () => {
  const deal = await heldDeal(market)
  await service.services.db.pool.query('update ap2_negotiation set requested_service = $1 where id = $2', [
    'Something else',
    deal.id,
  ])
  const { status, text } = await as(market, 'buyer', path(deal))
  assert.deepEqual([status, /Terms not found/.test(text)], [404, true])
})
