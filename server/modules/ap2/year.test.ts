import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { agentKeys } from '#agents'
import { publish } from '#platform/kernel/events'
import {
  acceptedDeal,
  BuyerSite,
  deliveredDeal,
  heldDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  readEscrow,
  reservedDeal,
  startTestService,
  type DealView,
  type Market,
  type TestService,
} from '#test'
import { negotiationMachine } from './deal/negotiation-machine.ts'

const DAY = 86_400

let service: TestService
let market: Market
let site: BuyerSite
before(async () => {
  service = await startTestService()
  market = await openMarket(service)
  site = await BuyerSite.open()
})
after(async () => {
  await site.close()
  await service.close()
})

const post = (role: 'buyer' | 'seller', deal: DealView, path: string, body: object) =>
  must(market, role, `/payments/escrow/${deal.escrowId}/${path}`, body)
const deliver = (deal: DealView, more: object = {}) =>
  must(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'done', ...more })
const MILESTONES = {
  milestones: [
    { key: 'one', amount: 40 },
    { key: 'two', amount: 60 },
  ],
}

async function disputed(deal: DealView, by: 'buyer' | 'seller', answers = false): Promise<DealView> {
  await post(by, deal, 'dispute', { reason: 'wrong' })
  if (answers)
    await post(by === 'buyer' ? 'seller' : 'buyer', deal, 'dispute/respond', { statement: 'right' })
  return deal
}

/** A deal in each state that waits for something, with the states in which it may end when nobody does anything. */
const WAITING: Record<string, [build: () => Promise<DealView>, ends: readonly string[]]> = {
  'an offer': [() => negotiate(market), ['EXPIRED']],
  'a counter-offer': [
    async () =>
      must(market, 'seller', '/ap2/respond', {
        negotiationId: (await negotiate(market)).id,
        status: 'COUNTERED',
        price: 110,
      }),
    ['EXPIRED'],
  ],
  'an accepted offer': [() => acceptedDeal(market), ['EXPIRED']],
  'a hosted page that nobody pays': [() => reservedDeal(market), ['EXPIRED']],
  'money for which nobody works': [() => heldDeal(market), ['REFUNDED']],
  'work that was started': [
    async () => must(market, 'seller', '/ap2/start', { negotiationId: (await heldDeal(market)).id }),
    ['REFUNDED'],
  ],
  'a verified delivery': [() => deliveredDeal(market), ['COMPLETED']],
  'a checker that never ends': [
    async () => {
      site.answer = 'later'
      const deal = await heldDeal(market, { requirements: { acceptance: [site.checker()] } })
      await deliver(deal)
      return deal
    },
    ['COMPLETED'],
  ],
  'requested changes': [
    async () => {
      const deal = await deliveredDeal(market)
      await post('buyer', deal, 'changes', { reason: 'not yet' })
      return deal
    },
    ['REFUNDED'],
  ],
  'one milestone of two': [
    async () => {
      const deal = await heldDeal(market, MILESTONES)
      await deliver(deal, { milestoneKey: 'one' })
      return deal
    },
    ['SPLIT'],
  ],
  'a released part': [
    async () => {
      const deal = await heldDeal(market)
      const part = { escrowId: deal.escrowId, amount: 10, acceptUnverified: true }
      await must(market, 'buyer', '/payments/ap2/release', part)
      return deal
    },
    ['SPLIT'],
  ],
  'a dispute of the buyer': [async () => disputed(await deliveredDeal(market), 'buyer'), ['REFUNDED']],
  'an answered dispute': [async () => disputed(await deliveredDeal(market), 'buyer', true), ['REFUNDED']],
  'a dispute of the seller': [async () => disputed(await heldDeal(market), 'seller'), ['REFUNDED']],
  'a dispute of the seller who delivered': [
    async () => disputed(await deliveredDeal(market), 'seller'),
    ['COMPLETED'],
  ],
  'a dispute of the seller who delivered one part': [
    async () => {
      const deal = await heldDeal(market, MILESTONES)
      await deliver(deal, { milestoneKey: 'one' })
      return disputed(deal, 'seller')
    },
    ['SPLIT'],
  ],
  'a withdrawn dispute': [
    async () => {
      const deal = await disputed(await deliveredDeal(market), 'buyer')
      await post('buyer', deal, 'dispute/withdraw', {})
      return deal
    },
    ['COMPLETED'],
  ],
}

/** The states of deals and of their escrows, deliveries and disputes, by id of the deal. */
async function statesOf(ids: readonly string[]) {
  const { rows } = await service.services.db.pool.query<{
    id: string
    status: string
    escrow: string | null
    open: number
  }>(
    `select n.id, n.status, e.status as escrow,
      (select count(*)::int from ap2_delivery d where d.negotiation_id = n.id and d.status in ('SUBMITTED', 'VERIFYING'))
        + (select count(*)::int from ap2_dispute d where d.escrow_id = e.id and d.ended_at is null) as open
    from ap2_negotiation n left join ap2_escrow e on e.negotiation_id = n.id where n.id = any($1)`,
    [ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

async function frozenDeals(): Promise<DealView[]> {
  const other = { ...market, agent: await publishAgent(service, market.agent.owner) }
  const deals = [await heldDeal(other), await disputed(await deliveredDeal(other), 'buyer')]
  await service.services.db.transaction(tx =>
    publish(tx, agentKeys.agentKeysRevoked, { agentId: other.agent.id }),
  )
  return deals
}

test('after a year in which nobody does anything, every deal that is not frozen has ended', async () => {
  const built: [what: string, deal: DealView, ends: readonly string[]][] = []
  for (const [what, [build, ends]] of Object.entries(WAITING)) built.push([what, await build(), ends])
  const ids = built.map(([, deal]) => deal.id)
  const from = await statesOf(ids)
  const waiting = negotiationMachine.states.filter(state => !negotiationMachine.terminal.includes(state))
  assert.deepEqual(
    waiting.filter(state => ![...from.values()].some(({ status }) => status === state)),
    [],
    'a deal waits in every state that is not an end',
  )
  await service.advance(400 * DAY)
  const states = await statesOf(ids)
  for (const [what, { id }, ends] of built) {
    const { status = '', escrow, open } = states.get(id) ?? {}
    assert.ok(ends.includes(status), `${what} is ${status}`)
    assert.ok(
      [null, 'RELEASED', 'REFUNDED', 'SPLIT', 'CANCELLED'].includes(escrow ?? null),
      `the escrow of ${what} is ${escrow}`,
    )
    assert.equal(open, 0, `${what} has an open delivery or dispute`)
  }
})

test('a frozen escrow outlasts every deadline of its deal', async () => {
  const frozen = await frozenDeals()
  // It is reported every day: more days would take long, and no deadline is after the 60 days of a dispute.
  await service.advance(70 * DAY)
  for (const { escrowId } of frozen) assert.equal((await readEscrow(market, escrowId)).status, 'FROZEN')
})
