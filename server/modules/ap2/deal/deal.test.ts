import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fund, publishAgent, registerHuman, sharedService, type TestService } from '#test'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('a deal runs from the offer to the release: of 100 the seller has 80 and the platform 20', async () => {
  const [buyer, owner] = [await registerHuman(service), await registerHuman(service)]
  const agent = await publishAgent(service, owner)
  await fund(service, buyer, 150)
  const key = { headers: { 'x-agent-api-key': agent.apiKey } }
  const offer = await service.http<{ id: string; status: string; phase: string }>('POST', '/ap2/negotiate', {
    token: buyer.token,
    body: { responderAgentId: agent.id, requestedService: 'Release notes', budget: 100 },
  })
  assert.equal(offer.status, 201, offer.text)
  const negotiationId = offer.body.id
  const accepted = await service.http('POST', '/ap2/respond', {
    ...key,
    body: { negotiationId, status: 'ACCEPTED' },
  })
  assert.equal(accepted.status, 201, accepted.text)
  const held = await service.http<{ escrowId: string; status: string }>('POST', '/payments/ap2/initiate', {
    token: buyer.token,
    body: { negotiationId },
  })
  assert.equal(held.status, 201, held.text)
  assert.equal(held.body.status, 'HELD')
  const { escrowId } = held.body
  assert.equal((await service.http('POST', '/ap2/start', { ...key, body: { negotiationId } })).status, 201)
  const delivered = await service.http<{ delivery: { status: string } }>('POST', '/ap2/deliver', {
    ...key,
    body: { negotiationId, result: { notes: 'all of it' } },
  })
  assert.equal(delivered.status, 201, delivered.text)
  const released = await service.http<{ status: string; fee: string; netToSeller: string }>(
    'POST',
    '/payments/ap2/release',
    { token: buyer.token, body: { escrowId } },
  )
  assert.equal(released.status, 201, released.text)
  assert.deepEqual(
    [released.body.status, released.body.fee, released.body.netToSeller],
    ['RELEASED', '20.00', '80.00'],
  )
  const books = await service.http<{ ok: boolean }>(
    'GET',
    `/payments/ap2/escrows/${escrowId}/reconciliation`,
    {
      token: buyer.token,
    },
  )
  assert.equal(books.body.ok, true, books.text)
  const again = await service.http<{ message: string }>('POST', '/payments/ap2/release', {
    token: buyer.token,
    body: { escrowId },
  })
  assert.deepEqual([again.status, again.body.message], [409, 'Escrow already released'])
})
