import { setTimeout as sleep } from 'node:timers/promises'
import {
  acceptedDeal,
  claimedAgent,
  connectBank,
  deliveredDeal,
  fund,
  heldDeal,
  joinOrganization,
  makeAdmin,
  must,
  negotiate,
  publishAgent,
  registerHuman,
  suspendMoney,
  type DealView,
  type Market,
} from '#test'
import { newId } from '../../../server/platform/kernel/id.ts'
import { resetLimits } from './snapshot.ts'
import { call, marketOf, openKey, uniqueName, type Tenant, type Fixtures } from './fixtures.ts'

/** The target of an operation: the ids that its path or body names, and the keys of the agent that it is about. */
export interface Target {
  ids: string[]
  agentKey?: string
  /** Of the owner, where the operation may end it. */
  ownerKey?: string
}

/** Makes a fresh object of `tenant`. */
export type Prepare = (fixtures: Fixtures, tenant: Tenant) => Promise<Target>

const agentWith =
  (fields: Record<string, unknown>): Prepare =>
  async (fixtures, tenant) => {
    const { id, apiKey } = await publishAgent(fixtures.service, tenant, fields)
    return { ids: [id], agentKey: apiKey }
  }
export const agent = agentWith({})
/** Its address does not resolve: nothing is delivered. */
export const webhook: Prepare = async (fixtures, tenant) => {
  const target = await agent(fixtures, tenant)
  const options = { token: tenant.token, body: { url: 'https://agent.example/events' } }
  await call(fixtures.service, `PUT /agents/${target.ids[0]}/webhook`, options)
  return target
}
/** Of an event that waits for the next attempt. */
export const webhookDelivery: Prepare = async (fixtures, tenant) => {
  const target = await webhook(fixtures, tenant)
  await call(fixtures.service, 'POST /ap2/negotiate', {
    token: fixtures.partner.token,
    body: { responderAgentId: target.ids[0], requestedService: 'Anything', budget: 1 },
  })
  const path = `GET /agents/${target.ids[0]}/webhook/deliveries`
  for (let attempt = 0; attempt < 200; attempt++) {
    const { items } = await call<{ items: { id: string }[] }>(fixtures.service, path, { token: tenant.token })
    if (items[0]) return { ...target, ids: [...target.ids, items[0].id] }
    await sleep(50)
  }
  throw new Error('no webhook delivery was made')
}
/** Rotation and revocation end the key that is presented, the owner's too. */
export const agentWithOwnerKey: Prepare = async (fixtures, tenant) => ({
  ...(await agent(fixtures, tenant)),
  ownerKey: (await openKey(fixtures.service, tenant.token)).apiKey,
})
export const privateAgent = agentWith({ visibility: 'PRIVATE' })

export const reachableAgent = agentWith({ ap2Endpoint: 'https://agent.example.com/a2a' })

export const pricedAgent = agentWith({
  visibility: 'PRIVATE',
  pricing: { model: 'per_call', amount: 0.25, currency: 'USDC' },
})

/** A requested payment to an agent. */
export const x402Payment: Prepare = async (fixtures, tenant) => {
  const { ids } = await agent(fixtures, tenant)
  const body = { agentId: ids[0], amount: 0.25 }
  const { transactionId } = await call<{ transactionId: string }>(
    fixtures.service,
    'POST /payments/x402/initiate',
    { token: tenant.token, body },
  )
  return { ids: [transactionId] }
}

export const privateSlug: Prepare = async (fixtures, tenant) => {
  const { slug, apiKey } = await publishAgent(fixtures.service, tenant, { visibility: 'PRIVATE' })
  return { ids: [slug], agentKey: apiKey }
}

export const keylessAgent: Prepare = async (fixtures, tenant) => {
  const target = await agent(fixtures, tenant)
  await call(fixtures.service, `POST /agents/${target.ids[0]}/revoke-key`, { token: tenant.token })
  return target
}

export const suspendedAgent: Prepare = async (fixtures, tenant) => {
  const target = await agent(fixtures, tenant)
  await call(fixtures.service, `POST /admin/agents/${target.ids[0]}/suspend`, {
    token: fixtures.admin,
    body: {},
  })
  return target
}

export const submittedAgent: Prepare = async ({ service }, { token }) => {
  const { id } = await call(service, 'POST /agents', { token, body: { name: 'Submitted' } })
  await call(service, `POST /agents/${id}/submit`, { token, body: {} })
  return { ids: [id] }
}

/** Of an agent that nobody owns yet. */
export const claimLink: Prepare = async ({ service, agentAccount }) => {
  await resetLimits(service)
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
export const emptyWallet: Prepare = async ({ service }, { token }) => ({
  ids: [(await call(service, 'POST /wallets', { token, body: {} })).id],
})
export const person: Prepare = async ({ service }) => ({ ids: [(await registerHuman(service)).id] })

export const suspendedPerson: Prepare = async fixtures => {
  const target = await person(fixtures, fixtures.partner)
  const options = { token: fixtures.admin, body: { reason: 'test' } }
  await call(fixtures.service, `POST /admin/users/${target.ids[0]}/suspend`, options)
  return target
}

export const session: Prepare = async ({ service }, { token, email }) => {
  await call(service, 'POST /auth/login', { body: { email, password: 'correct horse battery staple' } })
  const { items } = await call<{ items: { id: string; current: boolean }[] }>(service, 'GET /auth/sessions', {
    token,
  })
  return { ids: [items.find(({ current }) => !current)?.id ?? ''] }
}

export const serviceAccount: Prepare = async ({ service }, { token }) => ({
  ids: [(await openKey(service, token)).id],
})

export const narrowServiceAccount: Prepare = async ({ service }, { token }) => ({
  ids: [(await openKey(service, token, { scopes: ['agent:read'] })).id],
})

/** Its slug, and its wallet's and its own id. */
const freshOrganization = async ({ service }: Fixtures, { token }: Tenant) => {
  const slug = uniqueName().replace('_', '-')
  const { id } = await call(service, 'POST /organizations', { token, body: { slug, name: 'Works' } })
  return { slug, id }
}
export const organization: Prepare = async (fixtures, tenant) => ({
  ids: [(await freshOrganization(fixtures, tenant)).slug],
})
const lasting = new Map<string, Promise<{ slug: string }>>()
/** The same one for each call of a tenant, for what leaves it as it was: an account owns at most 100. */
export const lastingOrganization: Prepare = async (fixtures, tenant) => {
  const known = lasting.get(tenant.token) ?? freshOrganization(fixtures, tenant)
  lasting.set(tenant.token, known)
  return { ids: [(await known).slug] }
}
export const organizationId: Prepare = async (fixtures, tenant) => ({
  ids: [(await freshOrganization(fixtures, tenant)).id],
})
export const organizationWallet: Prepare = async (fixtures, tenant) => {
  const { slug } = await freshOrganization(fixtures, tenant)
  const { id } = await call(fixtures.service, `GET /wallets/org/${slug}`, { token: tenant.token })
  return { ids: [id] }
}
const createVoucher = ({ service }: Fixtures, { token, walletId }: Tenant) =>
  call<{ id: string; code: string }>(service, 'POST /wallet-vouchers', {
    token,
    body: { walletId, amount: 1 },
  })
export const voucher: Prepare = async (fixtures, tenant) => ({
  ids: [(await createVoucher(fixtures, tenant)).id],
})
export const voucherCode: Prepare = async (fixtures, tenant) => ({
  ids: [(await createVoucher(fixtures, tenant)).code],
})
/** With a member beside the tenant. */
export const member: Prepare = async (fixtures, tenant) => {
  const { slug } = await freshOrganization(fixtures, tenant)
  await joinOrganization(fixtures.service, tenant, fixtures.partner, { slug, role: 'MEMBER' })
  return { ids: [slug, fixtures.partner.id] }
}
/** To an organization of the partner. */
export const invitation: Prepare = async (fixtures, tenant) => {
  const { slug } = await freshOrganization(fixtures, fixtures.partner)
  const body = { userId: tenant.id, role: 'MEMBER' }
  await call(fixtures.service, `POST /organizations/${slug}/members`, { token: fixtures.partner.token, body })
  return { ids: [slug] }
}

/** Asked for by another admin than the one of the suite. */
export const approval: Prepare = async ({ service, partner }, { walletId: fromWalletId }) => {
  const { id, token } = await registerHuman(service)
  await makeAdmin(service, { id })
  const body = { fromWalletId, toWalletId: partner.walletId, amount: 1001, reason: 'test' }
  const { approval } = await call<{ approval: { id: string } }>(service, 'POST /wallets/transfer', {
    token,
    body,
  })
  return { ids: [approval.id] }
}

/** Money that names a payment of the tenant and is of another amount. */
export const suspense: Prepare = async ({ service }, tenant) => ({
  ids: [await suspendMoney(service, tenant, 100)],
})

/** What a deleted account left behind. */
export const unclaimed: Prepare = async ({ service }) => {
  const person = await registerHuman(service)
  await fund(service, person, 5)
  await call(service, 'DELETE /users/me', { token: person.token })
  return { ids: [person.walletId] }
}

/** A payout of the tenant that waits for review. */
export const payout: Prepare = async ({ service }, tenant) => {
  await connectBank(service, tenant.token)
  await fund(service, tenant, 1001)
  const body = { amount: 1001 }
  return { ids: [(await call(service, 'POST /payouts/user/request', { token: tenant.token, body })).id] }
}

type Stage = (market: Market) => Promise<DealView>

/** The tenant's agent sells to the partner. */
const sale =
  (stage: Stage, id: (deal: DealView) => string[]): Prepare =>
  async (fixtures, tenant) => {
    const agent = await publishAgent(fixtures.service, tenant)
    return { ids: id(await stage(marketOf(fixtures, fixtures.partner, agent))), agentKey: agent.apiKey }
  }
/** The tenant buys from the partner's agent. */
const purchase =
  (stage: Stage, id: (deal: DealView) => string[]): Prepare =>
  async (fixtures, tenant) => ({ ids: id(await stage(marketOf(fixtures, tenant, fixtures.partner.agent))) })

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
const delivery: Prepare = async (fixtures, tenant) => {
  const market = marketOf(fixtures, tenant, fixtures.partner.agent)
  const { escrowId } = await deliveredDeal(market)
  const { deliveries } = await must<{ deliveries: { id: string }[] }>(
    market,
    'buyer',
    `/payments/escrow/${escrowId}`,
  )
  return { ids: [escrowId, deliveries[0]?.id ?? ''] }
}

export const sales = {
  offered: sale(negotiate, negotiation),
  funded: sale(heldDeal, negotiation),
  held: sale(heldDeal, escrow),
  disputed: sale(disputed, escrow),
  frozen: sale(frozen, escrow),
}
export const purchases = {
  offered: purchase(negotiate, negotiation),
  accepted: purchase(acceptedDeal, negotiation),
  held: purchase(heldDeal, escrow),
  delivered: purchase(deliveredDeal, escrow),
  disputed: purchase(disputed, escrow),
  delivery,
}
