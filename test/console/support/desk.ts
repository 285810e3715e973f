import assert from 'node:assert/strict'
import {
  deliveredDeal,
  disputedFunding,
  fund,
  heldDeal,
  registerAdmin,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  suspendMoney,
  type Person,
  type TestService,
} from '#test'

/** The admin that every test service has. */
export const ADMIN = { email: 'admin@example.com' }

/** What an operator finds in the morning: one item of each kind of open work. */
export interface Desk {
  admin: string
  /** Submitted for review. */
  agent: { id: string; name: string }
  /** Disputed, with a delivery and the answer of the seller. */
  disputed: { escrowId: string; service: string }
  frozen: { escrowId: string }
  /** Money that the customer sent and that fits no payment. */
  customer: Person & { name: string }
  suspended: { id: string }
  /** Requested by another admin. */
  approval: { id: string }
}

let desks = 0

async function post<Body = object>(
  service: TestService,
  path: string,
  options: { token: string; body: object },
): Promise<Body> {
  const { status, text, body } = await service.http<Body>('POST', path, options)
  assert.ok(status < 300, `${path}: ${status} ${text}`)
  return body
}

export async function setDesk(service: TestService): Promise<Desk> {
  const admin = await service.adminToken()
  const market = await openMarket(service, { card: true, amount: 1000 })
  const place = ++desks
  const owner = await registerHuman(service)
  const reader = `Invoice reader ${place}`
  const agent = { name: reader, id: await submittedAgent(service, owner.token, reader) }
  const work = `Translate the manual ${place}`
  const disputed = await deliveredDeal(market, { requestedService: work })
  await must(market, 'buyer', `/payments/escrow/${disputed.escrowId}/dispute`, {
    reason: 'Two chapters are missing',
    asks: 'SPLIT',
    sellerBps: 5000,
    evidence: { missing: ['4', '7'] },
  })
  await must(market, 'seller', `/payments/escrow/${disputed.escrowId}/dispute/respond`, {
    statement: 'They were not in the file that I got',
  })
  const name = `Grace Hopper ${place}`
  const customer = { ...(await registerHuman(service)), name }
  await service.http('PATCH', '/users/me', { token: customer.token, body: { displayName: name } })
  return {
    admin,
    agent,
    disputed: { escrowId: disputed.escrowId, service: work },
    frozen: { escrowId: await frozenEscrow(service) },
    customer,
    suspended: { id: await suspendMoney(service, customer, 1250) },
    approval: { id: await requestedTransfer(service, market.buyer, customer) },
  }
}

/** An agent that waits for its review. */
export async function submittedAgent(service: TestService, token: string, name: string): Promise<string> {
  const { id } = await post<{ id: string }>(service, '/agents', {
    token,
    body: {
      name,
      description: 'Reads invoices and returns their lines.',
      pricing: { model: 'fixed', amount: 12, currency: 'USD' },
    },
  })
  await post(service, `/agents/${id}/submit`, { token, body: {} })
  return id
}

async function frozenEscrow(service: TestService): Promise<string> {
  const market = await openMarket(service)
  const { escrowId } = await heldDeal(market, { requestedService: 'Watch the server' })
  await must(market, 'seller', `/agents/${market.agent.id}/revoke-key`, {})
  return escrowId
}

/** A transfer that is too large for one admin. */
async function requestedTransfer(service: TestService, from: Person, to: Person): Promise<string> {
  const second = await registerAdmin(service)
  await fund(service, from, 2000)
  const body = { fromWalletId: from.walletId, toWalletId: to.walletId, amount: 1500, reason: 'Settlement 17' }
  const { approval } = await post<{ approval?: { id: string } }>(service, '/wallets/transfer', {
    token: second.token,
    body,
  })
  assert.ok(approval, 'the transfer did not wait for another admin')
  return approval.id
}

/** More for the tour: a chargeback, an affiliate, a payout account, a reconciliation. */
export async function fillBooks(service: TestService, admin: string): Promise<void> {
  const payer = await registerHuman(service)
  await disputedFunding(service, { admin, payer, amount: 40 })
  const affiliate = await registerHuman(service)
  await post(service, '/affiliates/apply', {
    token: affiliate.token,
    body: { displayName: 'Agents Weekly', website: 'https://weekly.example', acceptTerms: true },
  })
  const gone = await registerHuman(service)
  await fund(service, gone, 15)
  await service.http('DELETE', '/users/me', { token: gone.token })
  await post(service, '/admin/reconciliation', { token: admin, body: {} })
  await publishAgent(service, payer)
}
