import {
  acceptedDeal, claimedAgent, deliveredDeal, fund, heldDeal, joinOrganization, makeAdmin, must, negotiate, publishAgent, registerHuman, type DealView, type Market,
} from '#test'
import { newId } from '../../../server/platform/id.ts'
import { forgetLimits } from './snapshot.ts'
import { call, marketOf, openKey, uniqueName, type Tenant, type World } from './world.ts'

/** What an operation acts on: the ids that its path or body names, and the keys of the agent that it is about. */
export interface Target {
  ids: string[]
  agentKey?: string
  /** Of the owner, where the operation may end it. */
  ownerKey?: string
}

/** Makes a fresh object of `tenant`. */
export type Prepare = (world: World, tenant: Tenant) => Promise<Target>

const agentWith = (fields: Record<string, unknown>): Prepare => async (world, tenant) => {
  const { id, apiKey } = await publishAgent(world.service, tenant, fields)
  return { ids: [id], agentKey: apiKey }
}
export const agent = agentWith({})
/** Rotation and revocation end the key that is presented, the owner's too. */
export const agentWithOwnerKey: Prepare = async (world, tenant) =>
  ({ ...await agent(world, tenant), ownerKey: (await openKey(world.service, tenant.token)).apiKey })
export const privateAgent = agentWith({ visibility: 'PRIVATE' })

export const privateSlug: Prepare = async (world, tenant) => {
  const { slug, apiKey } = await publishAgent(world.service, tenant, { visibility: 'PRIVATE' })
  return { ids: [slug], agentKey: apiKey }
}

export const keylessAgent: Prepare = async (world, tenant) => {
  const target = await agent(world, tenant)
  await call(world.service, `POST /agents/${target.ids[0]}/revoke-key`, { token: tenant.token })
  return target
}

export const suspendedAgent: Prepare = async (world, tenant) => {
  const target = await agent(world, tenant)
  await call(world.service, `POST /admin/agents/${target.ids[0]}/suspend`, { token: world.admin, body: {} })
  return target
}

export const submittedAgent: Prepare = async ({ service }, { token }) => {
  const { id } = await call(service, 'POST /agents', { token, body: { name: 'Submitted' } })
  await call(service, `POST /agents/${id}/submit`, { token, body: {} })
  return { ids: [id] }
}

/** Of an agent that nobody owns yet. */
export const claimLink: Prepare = async ({ service, agentAccount }) => {
  await forgetLimits(service)
  const options = { token: agentAccount, body: { name: 'Announced' } }
  const { claim_url: url } = await call<{ claim_url: string }>(service, 'POST /agents/announce', options)
  return { ids: [url.split('/').at(-1) ?? ''] }
}

/** An agent that somebody else made and the tenant claimed. */
export const claimed: Prepare = async ({ service }, tenant) => {
  const { id, apiKey } = await claimedAgent(service, await registerHuman(service), tenant)
  return { ids: [id], agentKey: apiKey }
}

/** A token that was never given to anybody. */
export const nobodys: Prepare = async () => ({ ids: [newId()] })
export const account: Prepare = async (_, { id }) => ({ ids: [id] })
export const wallet: Prepare = async (_, { walletId }) => ({ ids: [walletId] })
export const person: Prepare = async ({ service }) => ({ ids: [(await registerHuman(service)).id] })

export const suspendedPerson: Prepare = async world => {
  const target = await person(world, world.partner)
  const options = { token: world.admin, body: { reason: 'test' } }
  await call(world.service, `POST /admin/users/${target.ids[0]}/suspend`, options)
  return target
}

export const session: Prepare = async ({ service }, { token, email }) => {
  await call(service, 'POST /auth/login', { body: { email, password: 'correct horse battery staple' } })
  const { items } = await call<{ items: { id: string; current: boolean }[] }>(service, 'GET /auth/sessions', { token })
  return { ids: [items.find(({ current }) => !current)?.id ?? ''] }
}

export const serviceAccount: Prepare = async ({ service }, { token }) => ({ ids: [(await openKey(service, token)).id] })

export const narrowServiceAccount: Prepare = async ({ service }, { token }) =>
  ({ ids: [(await openKey(service, token, { scopes: ['agent:read'] })).id] })

/** Its slug, and its wallet's and its own id. */
const freshOrganization = async ({ service }: World, { token }: Tenant) => {
  const slug = uniqueName().replace('_', '-')
  const { id } = await call(service, 'POST /organizations', { token, body: { slug, name: 'Works' } })
  return { slug, id }
}
export const organization: Prepare = async (world, tenant) => ({ ids: [(await freshOrganization(world, tenant)).slug] })
export const organizationId: Prepare = async (world, tenant) => ({ ids: [(await freshOrganization(world, tenant)).id] })
export const organizationWallet: Prepare = async (world, tenant) => {
  const { slug } = await freshOrganization(world, tenant)
  const { id } = await call(world.service, `GET /wallets/org/${slug}`, { token: tenant.token })
  return { ids: [id] }
}
/** With a member beside the tenant. */
export const member: Prepare = async (world, tenant) => {
  const { slug } = await freshOrganization(world, tenant)
  await joinOrganization(world.service, tenant, world.partner, { slug, role: 'MEMBER' })
  return { ids: [slug, world.partner.id] }
}
/** To an organization of the partner. */
export const invitation: Prepare = async (world, tenant) => {
  const { slug } = await freshOrganization(world, world.partner)
  const body = { userId: tenant.id, role: 'MEMBER' }
  await call(world.service, `POST /organizations/${slug}/members`, { token: world.partner.token, body })
  return { ids: [slug] }
}

/** Asked for by another admin than the one of the suite. */
export const approval: Prepare = async ({ service, partner }, { walletId: fromWalletId }) => {
  const { id, token } = await registerHuman(service)
  await makeAdmin(service, { id })
  const body = { fromWalletId, toWalletId: partner.walletId, amount: 1001, reason: 'test' }
  const { approval } = await call<{ approval: { id: string } }>(service, 'POST /wallets/transfer', { token, body })
  return { ids: [approval.id] }
}

/** Money that names a payment of the tenant and is of another amount. */
export const suspense: Prepare = async ({ service, admin }, { token, walletId }) => {
  const { transaction } = await call<{ transaction: { id: string } }>(service, `POST /wallets/${walletId}/fund`, { token, body: { amount: 5, rail: 'checkout' } })
  const object = { id: `pi_${newId()}`, amount_received: 100, currency: 'usd', metadata: { paymentId: transaction.id } }
  await call(service, 'POST /sandbox/processor/events', { token: admin, body: { type: 'payment_intent.succeeded', data: { object } } })
  return { ids: [object.id] }
}

/** What a deleted account left behind. */
export const unclaimed: Prepare = async ({ service }) => {
  const person = await registerHuman(service)
  await fund(service, person, 5)
  await call(service, 'DELETE /users/me', { token: person.token })
  return { ids: [person.walletId] }
}

type Stage = (market: Market) => Promise<DealView>

/** The tenant's agent sells to the partner. */
const sale = (stage: Stage, id: (deal: DealView) => string[]): Prepare => async (world, tenant) => {
  const agent = await publishAgent(world.service, tenant)
  return { ids: id(await stage(marketOf(world, world.partner, agent))), agentKey: agent.apiKey }
}
/** The tenant buys from the partner's agent. */
const purchase = (stage: Stage, id: (deal: DealView) => string[]): Prepare => async (world, tenant) =>
  ({ ids: id(await stage(marketOf(world, tenant, world.partner.agent))) })

const negotiation = (deal: DealView) => [deal.id]
const escrow = (deal: DealView) => [deal.escrowId]

const disputed: Stage = async market => {
  const deal = await heldDeal(market)
  await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, { reason: 'Not what was agreed' })
  return deal
}
const frozen: Stage = async market => {
  const deal = await heldDeal(market)
  await must(market, 'seller', `/agents/${market.agent.id}/revoke-key`, {})
  return deal
}
const delivery: Prepare = async (world, tenant) => {
  const market = marketOf(world, tenant, world.partner.agent)
  const { escrowId } = await deliveredDeal(market)
  const { deliveries } = await must<{ deliveries: { id: string }[] }>(market, 'buyer', `/payments/escrow/${escrowId}`)
  return { ids: [escrowId, deliveries[0]?.id ?? ''] }
}

export const sales = {
  offered: sale(negotiate, negotiation), funded: sale(heldDeal, negotiation),
  held: sale(heldDeal, escrow), disputed: sale(disputed, escrow), frozen: sale(frozen, escrow),
}
export const purchases = {
  offered: purchase(negotiate, negotiation), accepted: purchase(acceptedDeal, negotiation),
  held: purchase(heldDeal, escrow), delivered: purchase(deliveredDeal, escrow),
  disputed: purchase(disputed, escrow), delivery,
}
