import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { agentKeys } from '#agents'
import { publish } from '#platform/kernel/events'
import { findEdge } from '#platform/kernel/machine'
import {
  acceptedDeal,
  as,
  deliveredDeal,
  heldDeal,
  must,
  negotiate,
  openMarket,
  readDeal,
  reservedDeal,
  startTestService,
  type DealView,
  type Market,
  type Role,
  type TestService,
} from '#test'
import { escrowMachine, type EscrowEvent, type EscrowStatus } from './deal/escrow-machine.ts'
import {
  negotiationMachine,
  type NegotiationEvent,
  type NegotiationStatus,
} from './deal/negotiation-machine.ts'

// Generated from the machines' tables: every state is reached over HTTP, then every action is tried by everyone.
let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service)
})
after(() => service.close())

const respond =
  (status: string, more: object = {}) =>
  (deal: DealView): [string, object] => ['/ap2/respond', { negotiationId: deal.id, status, ...more }]
const onDeal =
  (path: string, more: object = {}) =>
  (deal: DealView): [string, object] => [path, { negotiationId: deal.id, ...more }]
const onEscrow =
  (path: string, body: object = {}) =>
  (deal: DealView): [string, object] => [`/payments/escrow/${deal.escrowId ?? deal.id}/${path}`, body]

/** The actions of parties and operators: how each is called, and the events of the two tables that it stands for. */
const ACTIONS: Record<
  string,
  { call: (deal: DealView) => [string, object]; negotiation?: NegotiationEvent; escrow?: EscrowEvent }
> = {
  accept: { call: respond('ACCEPTED'), negotiation: 'accept' },
  counter: { call: respond('COUNTERED', { price: 90 }), negotiation: 'counter' },
  reject: { call: respond('REJECTED'), negotiation: 'reject' },
  cancel: { call: onDeal('/ap2/cancel'), negotiation: 'cancel' },
  fund: { call: onDeal('/payments/ap2/initiate'), negotiation: 'fund' },
  start: { call: onDeal('/ap2/start'), negotiation: 'start' },
  deliver: { call: onDeal('/ap2/deliver', { result: 'done' }), negotiation: 'deliver' },
  changes: { call: onEscrow('changes', { reason: 'not yet' }), negotiation: 'request_changes' },
  release: {
    call: deal => ['/payments/ap2/release', { escrowId: deal.escrowId ?? deal.id }],
    escrow: 'release',
  },
  refund: { call: onEscrow('refund'), escrow: 'refund' },
  dispute: { call: onEscrow('dispute', { reason: 'wrong' }), escrow: 'dispute' },
  answer: { call: onEscrow('dispute/respond', { statement: 'right' }), escrow: 'answer' },
  withdraw: { call: onEscrow('dispute/withdraw'), escrow: 'withdraw' },
  resolve: { call: onEscrow('resolve', { outcome: 'REFUND', reason: 'decided' }), escrow: 'resolve' },
  unfreeze: { call: onEscrow('unfreeze'), escrow: 'unfreeze' },
}
const ROLES: readonly Role[] = ['buyer', 'seller', 'outsider', 'operator']

type Build = () => Promise<DealView>
const reread = async (id: string) => readDeal(market, id)
const dispute = async (deal: DealView) => {
  await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, { reason: 'wrong' })
  return reread(deal.id)
}
const resolved =
  (outcome: object): Build =>
  async () => {
    const deal = await dispute(await heldDeal(market))
    await must(market, 'operator', `/payments/escrow/${deal.escrowId}/resolve`, {
      reason: 'decided',
      ...outcome,
    })
    return reread(deal.id)
  }

/** How each state of a negotiation is reached; EXPIRED, which nobody can read any more, has tests of its own. */
const NEGOTIATIONS: Record<Exclude<NegotiationStatus, 'EXPIRED'>, Build> = {
  PENDING: () => negotiate(market),
  COUNTERED: async () => {
    const { id } = await negotiate(market)
    return must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'COUNTERED', price: 110 })
  },
  ACCEPTED: () => acceptedDeal(market),
  ESCROWED: () => heldDeal(market),
  IN_PROGRESS: async () =>
    must(market, 'seller', '/ap2/start', { negotiationId: (await heldDeal(market)).id }),
  DELIVERED: () => deliveredDeal(market),
  COMPLETED: async () => {
    const deal = await deliveredDeal(market)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
    return reread(deal.id)
  },
  REFUNDED: async () => {
    const deal = await heldDeal(market)
    await must(market, 'seller', `/payments/escrow/${deal.escrowId}/refund`, {})
    return reread(deal.id)
  },
  SPLIT: resolved({ outcome: 'SPLIT', sellerBps: 5000 }),
  REJECTED: async () =>
    must(market, 'seller', '/ap2/respond', {
      negotiationId: (await negotiate(market)).id,
      status: 'REJECTED',
    }),
  CANCELLED: async () =>
    must(market, 'buyer', '/ap2/cancel', { negotiationId: (await negotiate(market)).id }),
}

/** How each state of an escrow is reached. */
const ESCROWS: Record<EscrowStatus, Build> = {
  PENDING_FUNDING: () => reservedDeal(market),
  CANCELLED: async () => {
    const { id } = await acceptedDeal(market)
    const declined = { negotiationId: id, rail: 'card', paymentMethodId: 'pm_card_chargeDeclined' }
    assert.equal((await as(market, 'buyer', '/payments/ap2/initiate', declined)).status, 400)
    return reread(id)
  },
  HELD: NEGOTIATIONS.DELIVERED,
  DISPUTED: async () => dispute(await deliveredDeal(market)),
  FROZEN: async () => {
    const deal = await deliveredDeal(market)
    await service.services.db.transaction(tx =>
      publish(tx, agentKeys.agentKeysRevoked, { agentId: market.agent.id }),
    )
    return reread(deal.id)
  },
  RELEASED: NEGOTIATIONS.COMPLETED,
  REFUNDED: NEGOTIATIONS.REFUNDED,
  SPLIT: NEGOTIATIONS.SPLIT,
}

/** What the tables leave to a condition (actions.ts); everything else follows from the tables alone. */
function holds(action: string, role: Role, deal: DealView): boolean {
  if (action === 'accept' || action === 'counter')
    return role === (deal.status === 'PENDING' ? 'seller' : 'buyer')
  // The open dispute of these tests is the buyer's.
  if (action === 'answer') return role === 'seller'
  if (action === 'withdraw') return role === 'buyer'
  return true
}

function expected(action: string, role: Role, deal: DealView): boolean {
  if (role === 'outsider' || !holds(action, role, deal)) return false
  // Only these two actions are open to an operator.
  if ((role === 'operator') !== (action === 'resolve' || action === 'unfreeze')) return false
  const { negotiation, escrow } = ACTIONS[action] ?? {}
  const money = deal.escrow?.status as EscrowStatus | undefined
  const by = role as 'buyer'
  if (escrow) {
    if (!money) return false
    // Without a verified delivery a plain release is refused; resolve of a HELD escrow goes by its refund.
    if (escrow === 'release' && deal.status !== 'DELIVERED') return false
    if (escrow === 'resolve' && money === 'HELD')
      return Boolean(findEdge(escrowMachine, money, { event: 'refund', by }))
    return Boolean(findEdge(escrowMachine, money, { event: escrow, by }))
  }
  // A payment that is awaited can be given up.
  if (!negotiation || (money && money !== 'HELD' && money !== 'PENDING_FUNDING')) return false
  // A delivery starts the work by itself.
  const state =
    negotiation === 'deliver' && deal.status === 'ESCROWED'
      ? 'IN_PROGRESS'
      : (deal.status as NegotiationStatus)
  return Boolean(findEdge(negotiationMachine, state, { event: negotiation, by }))
}

async function tryAll(build: Build): Promise<void> {
  let deal = await build()
  const before = await reread(deal.id)
  const allowed: [string, Role][] = []
  for (const action of Object.keys(ACTIONS)) {
    for (const role of ROLES) {
      if (expected(action, role, deal)) allowed.push([action, role])
      else await refused(action, role, deal)
    }
  }
  assert.deepEqual(
    { ...(await reread(deal.id)), updatedAt: null },
    { ...before, updatedAt: null },
    'a refused action changed the deal',
  )
  for (const side of ['buyer', 'seller'] as const) {
    const actions = allowed
      .filter(([action, role]) => role === side && action !== 'resolve')
      .map(([action]) => action)
    assert.deepEqual(
      [...(await readDeal(market, deal.id, side)).allowedActions].sort(),
      actions.sort(),
      `allowedActions of the ${side} in ${deal.status}`,
    )
  }
  for (const [action, role] of allowed) {
    deal = await build()
    const [path, body] = ACTIONS[action]?.call(deal) ?? ['', {}]
    const answer = await as(market, role, path, body)
    assert.equal(
      answer.status,
      201,
      `${action} by ${role} while ${deal.status}/${deal.escrow?.status}: ${answer.text}`,
    )
    await landed(action, role, deal)
  }
}

async function refused(action: string, role: Role, deal: DealView): Promise<void> {
  const [path, body] = ACTIONS[action]?.call(deal) ?? ['', {}]
  const { status, text } = await as(market, role, path, body)
  const what = `${action} by ${role} while ${deal.status}/${deal.escrow?.status}: ${status} ${text}`
  // Escrow actions of a deal without one have no id to name.
  const nameless = !deal.escrowId && (ACTIONS[action]?.escrow || action === 'changes')
  const fit = nameless ? [403, 404] : role === 'outsider' ? [403] : [403, 409]
  assert.ok(fit.includes(status), what)
  if (status === 409) {
    assert.match(
      text,
      /Cannot |Escrow already released|Escrow frozen|Escrow not verified|Not your turn/,
      what,
    )
  }
}

/** The transition went where the table says. */
async function landed(action: string, role: Role, deal: DealView): Promise<void> {
  const { negotiation, escrow } = ACTIONS[action] ?? {}
  const now = await reread(deal.id)
  if (escrow) {
    const event = escrow === 'resolve' && deal.escrow.status === 'HELD' ? 'refund' : escrow
    const change = { event, by: role as 'buyer', to: now.escrow.status }
    const edge = findEdge(escrowMachine, deal.escrow.status as EscrowStatus, change)
    assert.ok(edge, `${action} went to ${now.escrow.status}`)
  } else {
    const from = negotiation === 'deliver' ? 'IN_PROGRESS' : (deal.status as NegotiationStatus)
    const change = { event: negotiation ?? 'start', by: role as 'buyer', to: now.status } as const
    assert.ok(findEdge(negotiationMachine, from, change), `${action} went to ${now.status}`)
  }
}

for (const [state, build] of Object.entries(NEGOTIATIONS)) {
  test(`a negotiation that is ${state} takes exactly the actions of its table`, () => tryAll(build))
}
for (const state of escrowMachine.states) {
  test(`an escrow that is ${state} takes exactly the actions of its table`, () => tryAll(ESCROWS[state]))
}

test('what has to happen first is named', async () => {
  const { id: negotiationId } = await negotiate(market)
  for (const [role, path] of [
    ['buyer', '/payments/ap2/initiate'],
    ['seller', '/ap2/deliver'],
  ] as const) {
    const early = await as<{ hint?: string }>(market, role, path, { negotiationId, result: 'x' })
    assert.equal(early.status, 409, early.text)
    assert.equal(early.body.hint, 'The seller has to accept the offer first: POST /ap2/respond')
  }
})

test('an expired negotiation is gone for every action and for reading, and still listed', async () => {
  const deal = await negotiate(market, { expiresInSeconds: 60 })
  await service.advance(61)
  for (const action of ['accept', 'counter', 'reject', 'cancel', 'fund', 'start', 'deliver']) {
    for (const role of ROLES) {
      const [path, body] = ACTIONS[action]?.call(deal) ?? ['', {}]
      const answer = await as<{ message: string }>(market, role, path, body)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.body.message, /^Negotiation not found/)
    }
  }
  assert.equal((await as(market, 'buyer', `/ap2/negotiations/${deal.id}`)).status, 400)
  const { items } = await must<{ items: DealView[] }>(market, 'buyer', '/ap2/negotiations?status=EXPIRED')
  assert.deepEqual(
    items.map(item => item.id),
    [deal.id],
  )
})
