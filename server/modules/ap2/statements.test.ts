import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMarket, recordQueries, startTestService, type Market, type TestService } from '#test'

/** Statements and round trips of each step, everything included: credential, Idempotency-Key, begin and commit. */
const BUDGET = {
  negotiate: { statements: 8, roundTrips: 3 },
  accept: { statements: 8, roundTrips: 3 },
  initiate: { statements: 14, roundTrips: 3 },
  deliver: { statements: 16, roundTrips: 3 },
  // The fourth asks who earns a commission: its legs belong to the journal.
  release: { statements: 16, roundTrips: 4 },
}
type Step = keyof typeof BUDGET

/** Longer than the service remembers what the database said about a credential. */
const LOOKUP_AFTER_MS = 1000

let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service, { card: true })
})
after(() => service.close())

/** Sends one request with a credential that has to be looked up, and counts what it sends to the database. */
async function countStep(
  step: Step,
  path: string,
  body: Record<string, unknown>,
): Promise<{ id: string; escrowId: string }> {
  const isSeller = step === 'accept' || step === 'deliver'
  const credential: Record<string, string> = isSeller ? { 'x-agent-api-key': market.agent.apiKey } : {}
  const options = {
    headers: { 'idempotency-key': randomUUID(), ...credential },
    ...(isSeller ? {} : { token: market.buyer.token }),
    body,
  }
  await sleep(LOOKUP_AFTER_MS)
  const { result, queries } = await recordQueries(() =>
    service.http<{ id: string; escrowId: string }>('POST', path, options),
  )
  assert.equal(result.status, 201, result.text)
  const roundTrips = queries.filter(query => query.isFirst).length
  const texts = queries.map(({ text, isFirst }) => `${isFirst ? '\n' : ''}${text.slice(0, 100)}`).join('\n')
  const { statements: most, roundTrips: mostTrips } = BUDGET[step]
  assert.ok(queries.length > 4, `only ${queries.length} statements were seen`)
  assert.ok(queries.length <= most, `${step}: ${queries.length} statements, at most ${most}:\n${texts}`)
  assert.ok(roundTrips <= mostTrips, `${step}: ${roundTrips} round trips, at most ${mostTrips}:\n${texts}`)
  return result.body
}

async function playDeal(): Promise<void> {
  const { id: negotiationId } = await countStep('negotiate', '/ap2/negotiate', {
    responderAgentId: market.agent.id,
    requestedService: 'Release notes',
    budget: 10,
  })
  await countStep('accept', '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
  const { escrowId } = await countStep('initiate', '/payments/ap2/initiate', { negotiationId })
  await countStep('deliver', '/ap2/deliver', { negotiationId, result: { notes: 'All of it' } })
  await countStep('release', '/payments/ap2/release', { escrowId })
}

test('each step of a deal stays within its statements and round trips', async () => {
  // The first deal notes the first use of the seller's key.
  const warm = { headers: { 'x-agent-api-key': market.agent.apiKey } }
  assert.equal((await service.http('GET', '/ap2/negotiations', warm)).status, 200)
  // The first offer of an account reads who referred it, which never changes.
  const offer = { responderAgentId: market.agent.id, requestedService: 'Release notes', budget: 10 }
  const opened = await service.http('POST', '/ap2/negotiate', { token: market.buyer.token, body: offer })
  assert.equal(opened.status, 201, opened.text)
  await playDeal()
})
