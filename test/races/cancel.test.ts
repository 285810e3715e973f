import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadLedgerChecks } from '#app'
import { checkLedger } from '#ledger'
import { acceptedDeal, as, openMarket, readDeal, sharedService, type TestService } from '#test'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('an accepted deal that is canceled and funded at once holds no money', async () => {
  const market = await openMarket(service)
  const paths = ['/ap2/cancel', '/payments/ap2/initiate', '/ap2/cancel']
  for (let round = 0; round < 6; round++) {
    const { id: negotiationId } = await acceptedDeal(market, { budget: 10 })
    const ordered = round % 2 ? paths : paths.toReversed()
    const answers = await Promise.all(ordered.map(path => as(market, 'buyer', path, { negotiationId })))
    const statuses = answers.map(answer => answer.status)
    assert.ok(
      statuses.every(status => status === 201 || status === 409),
      answers.map(answer => answer.text).join(),
    )
    const { status, escrowId, escrow } = await readDeal(market, negotiationId)
    assert.equal(status, escrowId ? 'REFUNDED' : 'CANCELLED')
    if (escrowId) assert.equal(escrow.held, '0.00')
  }
  const { findings } = await checkLedger(service.services.db, await loadLedgerChecks())
  assert.deepEqual(findings, [])
})
