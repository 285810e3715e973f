import type { Credential, Reply } from './api.ts'
import type { Client } from './client.ts'
import { dollars, micro } from './model.ts'
import { affordable, fund } from './money.ts'
import type { Person } from './person.ts'

interface Escrow {
  id: string
  status: string
  released: string
  refunded: string
  fee: string
  feeBps: number
}

interface Deal {
  client: Client
  seller: Person
  price: bigint
  negotiationId: string
  escrowId: string
}

const BPS = 10_000n

/** A whole deal of this client with the agent of another person, to one of its ends. */
export async function deal(client: Client): Promise<void> {
  const price = affordable(client, 4000)
  if (price === undefined) return fund(client)
  const seller = client.other()
  const { model, me, random } = client
  const { body: offer } = await change<{ id: string }>(client, '/ap2/negotiate', {
    body: { responderAgentId: seller.agent.id, requestedService: 'chaos', budget: dollars(price) },
  })
  const negotiationId = offer.id
  await change(client, '/ap2/respond', { body: { negotiationId, status: 'ACCEPTED' }, as: seller.agent.key })
  await model.during([me.walletId, seller.agent.walletId], async () => {
    const { body } = await change<{ escrowId: string }>(client, '/payments/ap2/initiate', {
      body: { negotiationId },
    })
    model.add(me.walletId, -price)
    const { escrowId } = body
    model.set('ap2_escrow', escrowId, 'HELD')
    client.journal.count('escrows')
    await random.pick(ENDS)({ client, seller, price, negotiationId, escrowId })
  })
}

const change = <Body>(
  client: Client,
  operation: string,
  { as = client.me.session, ...more }: { id?: string; body?: object; as?: Credential },
): Promise<Reply<Body>> => client.api.change<Body>({ method: 'POST', operation, credential: as, ...more })

async function deliver({ client, seller, negotiationId }: Deal): Promise<void> {
  if (client.random.chance(0.3))
    await change(client, '/ap2/start', { body: { negotiationId }, as: seller.agent.key })
  await change(client, '/ap2/deliver', {
    body: { negotiationId, result: { text: 'done' } },
    as: seller.agent.key,
  })
}

async function release(deal: Deal): Promise<void> {
  await deliver(deal)
  const { client, escrowId, price } = deal
  await change(client, '/payments/ap2/release', { body: { escrowId } })
  await settle(deal, 'RELEASED', price)
}

/** A part at first, then the rest. */
async function releaseInParts(deal: Deal): Promise<void> {
  const { client, escrowId, price } = deal
  await deliver(deal)
  const part = price / 3n
  await change(client, '/payments/ap2/release', { body: { escrowId, amount: dollars(part) } })
  await change(client, '/payments/ap2/release', { body: { escrowId } })
  await settle(deal, 'RELEASED', price)
}

async function refund(deal: Deal): Promise<void> {
  const { client, escrowId, seller } = deal
  await change(client, '/payments/escrow/{id}/refund', { id: escrowId, body: {}, as: seller.session })
  await settle(deal, 'REFUNDED', 0n)
}

async function cancel(deal: Deal): Promise<void> {
  const { client, negotiationId } = deal
  await change(client, '/ap2/cancel', { body: { negotiationId } })
  await settle(deal, 'REFUNDED', 0n)
}

async function dispute(deal: Deal): Promise<void> {
  const { client, escrowId, price } = deal
  if (client.random.chance(0.5)) await deliver(deal)
  await change(client, '/payments/escrow/{id}/dispute', { id: escrowId, body: { reason: 'chaos' } })
  const sellerBps = 1 + client.random.below(9999)
  await change(client, '/payments/escrow/{id}/resolve', {
    id: escrowId,
    body: { outcome: 'SPLIT', sellerBps, reason: 'chaos' },
    as: client.operator,
  })
  await settle(deal, 'SPLIT', (price * BigInt(sellerBps)) / BPS)
}

const ENDS: readonly ((deal: Deal) => Promise<void>)[] = [
  release,
  release,
  release,
  releaseInParts,
  refund,
  cancel,
  dispute,
]

/** The end of a deal was acknowledged: the escrow must say so, and its money is with the parties. */
async function settle(
  { client, seller, price, escrowId }: Deal,
  status: string,
  released: bigint,
): Promise<void> {
  const { api, model, me, journal } = client
  const { body } = await api.send<Escrow>({
    method: 'GET',
    operation: '/payments/escrow/{id}',
    id: escrowId,
    credential: me.session,
  })
  const fee = (released * BigInt(body.feeBps)) / BPS
  const expected = [status, released, price - released, fee].map(String)
  const found = [body.status, ...[body.released, body.refunded, body.fee].map(micro)].map(String)
  if (expected.join() !== found.join())
    journal.find(`escrow ${escrowId}: acknowledged ${expected.join()}, found ${found.join()}`)
  model.set('ap2_escrow', escrowId, status)
  model.add(seller.agent.walletId, released - fee)
  model.add(me.walletId, price - released)
}
