import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { recordQueries, registerHuman, sharedService, type Person, type TestService } from '#test'

/** Of a transfer whose credential was looked up before: Idempotency-Key, begin and commit included. */
const BUDGET = { statements: 14, roundTrips: 4 }

let service: TestService
let ada: Person
let bob: Person
before(async () => {
  service = await sharedService()
  ada = await registerHuman(service)
  bob = await registerHuman(service)
})
after(() => service.close())

test('a transfer stays within its statements and round trips', async () => {
  const funded = await service.http('POST', `/wallets/${ada.walletId}/fund`, {
    token: ada.token,
    body: { amount: 10, paymentMethodId: 'pm_card_visa' },
  })
  assert.equal(funded.status, 201, funded.text)
  const send = () =>
    service.http('POST', `/wallets/${ada.walletId}/transfer`, {
      token: ada.token,
      headers: { 'idempotency-key': randomUUID() },
      body: { toWalletId: bob.walletId, amount: 1 },
    })
  assert.equal((await send()).status, 201)
  const { result, queries } = await recordQueries(send)
  assert.equal(result.status, 201, result.text)
  const roundTrips = queries.filter(query => query.isFirst).length
  const texts = queries.map(({ text, isFirst }) => `${isFirst ? '\n' : ''}${text.slice(0, 100)}`).join('\n')
  assert.ok(queries.length > 4, `only ${queries.length} statements were seen`)
  assert.ok(queries.length <= BUDGET.statements, `${queries.length} statements:\n${texts}`)
  assert.ok(roundTrips <= BUDGET.roundTrips, `${roundTrips} round trips:\n${texts}`)
})
