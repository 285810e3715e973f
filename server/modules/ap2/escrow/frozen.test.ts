import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { Db } from '#platform/kernel/db'
import { heldDeal, openMarket, startTestService, type Market, type TestService } from '#test'
import { escrowMetrics, frozenReport } from './frozen.ts'

const DAY = 86_400

interface Report {
  escrow?: string
  held?: string
  freezes?: string[]
}

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const revoke = ({ agent }: Market) =>
  service.http('POST', `/agents/${agent.id}/revoke-key`, { token: agent.owner.token })
const newKey = ({ agent }: Market) =>
  service.http('POST', `/agents/${agent.id}/keys`, { token: agent.owner.token })
const counted = async () =>
  (await escrowMetrics.read(service.services.db, service.services.clock.now())).svc_escrows_frozen_long

test('an escrow that stands frozen for a week is reported once a day, until a person ends it', async () => {
  const warned = mock.method(service.services.log, 'warn', () => undefined)
  const reports = () => warned.mock.calls.map(call => call.arguments[0] as Report).filter(each => each.escrow)
  const market = await openMarket(service)
  const [frozen, other] = [await heldDeal(market), await heldDeal(await openMarket(service))]
  await revoke(market)
  await service.advance(7 * DAY - 60)
  assert.deepEqual([reports(), await counted()], [[], 0])
  await service.advance(120)
  assert.equal(reports().length, 1)
  const [first] = reports()
  assert.deepEqual(
    [first?.escrow, first?.held, first?.freezes, await counted()],
    [frozen.escrowId, '100.00', [`agent_keys_revoked:${market.agent.id}`], 1],
  )
  await service.advance(DAY - 240)
  assert.equal(reports().length, 1)
  await service.advance(3 * DAY)
  assert.equal(reports().length, 4)
  await newKey(market)
  await service.advance(3 * DAY)
  assert.deepEqual([reports().length, await counted()], [4, 0])

  // Frozen again: a new week begins.
  await revoke(market)
  await service.advance(6 * DAY)
  assert.equal(reports().length, 4)
  await service.advance(DAY + 60)
  assert.equal(reports().length, 5)
  assert.ok(reports().every(({ escrow }) => escrow !== other.escrowId))
})

test('several instances report it once', async () => {
  const market = await openMarket(service)
  const { escrowId } = await heldDeal(market)
  await revoke(market)
  const { db, clock, log } = service.services
  const reported: unknown[] = []
  const timer = frozenReport(
    Object.assign(Object.create(log) as typeof log, {
      warn: (about: unknown) => {
        reported.push(about)
      },
    }),
  )
  const later = new Date(clock.now().getTime() + 8 * DAY * 1000)
  const instance = new Db(db.pool, { ...db.context, clock: { now: () => later, real: () => new Date() } })
  await Promise.all(Array.from({ length: 12 }, () => instance.transaction(tx => timer.run(tx, escrowId))))
  assert.equal(reported.length, 1)
})
