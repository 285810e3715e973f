import type { TestService, Answer } from '../service/service.ts'
import { publishAgent, registerHuman, type ListedAgent, type Person } from './people.ts'

/** A buyer with money, an agent that sells, and an account that is no party; each can send requests. */
export interface Market {
  service: TestService
  buyer: Person
  agent: ListedAgent
  outsider: Person
  admin: string
}

export type Role = 'buyer' | 'seller' | 'outsider' | 'operator'

export interface DealView {
  id: string
  status: string
  phase: string | null
  price: number
  proposedBudget: number
  round: number
  escrowId: string
  allowedActions: string[]
  acceptance: { key: string }[]
  escrow: EscrowView
}
export interface EscrowView {
  id: string
  status: string
  originalStatus: string | null
  held: string
  released: string
  refunded: string
  fee: string
  feeBps: number
  test: boolean
  deliveryStatus: string
  autoReleaseAt: string | null
  deliverBy: string
  changeRequest: { reason: string | null } | null
  freezes: string[]
  allowedActions: string[]
  timeline: { event: string; to: string; details: { code?: string } }[]
  deliveries: {
    id: string
    status: string
    attempt: number
    url: string
    screenshotUrl: string | null
    report: { code: string; reason: string } | null
  }[]
  milestones: { key: string; amount: string; released: string; deliveryStatus: string }[]
}

/** `test` credit in the buyer's wallet unless `card`: then real money by sandbox card. */
export async function openMarket(
  service: TestService,
  { amount = 100_000, card = false } = {},
): Promise<Market> {
  const [buyer, owner, outsider, admin] = [
    await registerHuman(service),
    await registerHuman(service),
    await registerHuman(service),
    await service.adminToken(),
  ]
  const agent = await publishAgent(service, owner)
  const funded = card
    ? await service.http('POST', `/wallets/${buyer.walletId}/fund`, { token: buyer.token, body: { amount } })
    : await service.http('POST', '/wallets/admin/test-credit', {
        token: admin,
        body: { walletId: buyer.walletId, amount, reason: 'test' },
      })
  if (funded.status !== 201) throw new Error(`cannot fund: ${funded.status} ${funded.text}`)
  return { service, buyer, agent, outsider, admin }
}

/** One call as one of the roles. The seller uses its agent's key where one is taken, its owner's token elsewhere. */
export function as<Body = Record<string, never>>(
  market: Market,
  role: Role,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> {
  const { service, buyer, agent, outsider, admin } = market
  const method = body === undefined ? 'GET' : 'POST'
  if (role === 'seller' && takesAgentKey(path)) {
    return service.http<Body>(method, path, { headers: { 'x-agent-api-key': agent.apiKey }, body })
  }
  const tokens = { buyer: buyer.token, seller: agent.owner.token, outsider: outsider.token, operator: admin }
  return service.http<Body>(method, path, { token: tokens[role], body })
}

// A deal shows each credential only what it can do, which for the token is more.
const takesAgentKey = (path: string): boolean =>
  /^\/ap2\/(?!negotiations\/)/.test(path) || path.endsWith('/deliver') || path.endsWith('/inbox')

/** The same, for a call that must succeed. */
export async function must<Body = DealView>(
  market: Market,
  role: Role,
  path: string,
  body?: unknown,
): Promise<Body> {
  const answer = await as<Body>(market, role, path, body)
  if (answer.status > 201) throw new Error(`${role} ${path} answered ${answer.status}: ${answer.text}`)
  return answer.body
}

export const negotiate = (market: Market, more: Record<string, unknown> = {}) =>
  must(market, 'buyer', '/ap2/negotiate', {
    responderAgentId: market.agent.id,
    requestedService: 'Release notes',
    budget: 100,
    ...more,
  })

/** A negotiation that the seller accepted. */
export async function acceptedDeal(market: Market, more: Record<string, unknown> = {}): Promise<DealView> {
  const { id } = await negotiate(market, more)
  return must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
}

/** A deal whose money is HELD. */
export async function heldDeal(market: Market, more: Record<string, unknown> = {}): Promise<DealView> {
  const { id } = await acceptedDeal(market, more)
  await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
  return readDeal(market, id)
}

/** A deal that a card has paid. */
export async function cardDeal(market: Market, paymentMethodId = 'pm_card_visa'): Promise<DealView> {
  const { id } = await acceptedDeal(market)
  const body = { negotiationId: id, rail: 'card', paymentMethodId }
  await must(market, 'buyer', '/payments/ap2/initiate', body)
  return readDeal(market, id)
}

/** A deal whose escrow waits for its funds, with the hosted page on which they are paid. */
export async function reservedDeal(
  market: Market,
  more: Record<string, unknown> = {},
  payment: Record<string, unknown> = {},
): Promise<DealView & { page: string }> {
  const { id } = await acceptedDeal(market, more)
  const body = { negotiationId: id, rail: 'card', ...payment }
  const { checkout } = await must<{ checkout: { id: string } }>(
    market,
    'buyer',
    '/payments/ap2/initiate',
    body,
  )
  return { ...(await readDeal(market, id)), page: `/sandbox/checkout/${checkout.id}` }
}

/** A deal whose delivery is VERIFIED. */
export async function deliveredDeal(market: Market, more: Record<string, unknown> = {}): Promise<DealView> {
  const { id } = await heldDeal(market, more)
  await must(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'done' })
  return readDeal(market, id)
}

export const readDeal = (market: Market, id: string, role: Role = 'buyer') =>
  must(market, role, `/ap2/negotiations/${id}`)
export const readEscrow = (market: Market, id: string) =>
  must<EscrowView>(market, 'buyer', `/payments/escrow/${id}`)
