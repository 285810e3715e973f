import type { Client } from './client.ts'
import { cents, dollars } from './model.ts'

/** An amount that this client can spend, or none: nobody else takes from its wallet. */
export function affordable({ model, me, random }: Client, maxCents: number): bigint | undefined {
  const amount = cents(100 + random.below(maxCents - 100))
  return model.balanceOf(me.walletId) >= amount ? amount : undefined
}

interface Funded {
  transaction: { status: string }
}

/** By card. While the processor gives no answer the payment is PENDING, and the same request is to be sent again. */
export async function fund(client: Client): Promise<void> {
  const { api, model, me, random, journal } = client
  const amount = cents(1000 + random.below(9000))
  await model.during([me.walletId], async () => {
    const { status } = await api.change({
      method: 'POST',
      operation: '/wallets/{id}/fund',
      id: me.walletId,
      body: { amount: dollars(amount) },
      credential: me.session,
      isFinal: body => (body as Funded).transaction.status === 'COMPLETED',
      // The processor was not reached for an hour: nothing was charged.
      refusals: [400],
    })
    if (status >= 300) return
    model.add(me.walletId, amount)
    journal.count('funded')
  })
}

export async function transfer(client: Client): Promise<void> {
  const { api, model, me } = client
  const amount = affordable(client, 3000)
  if (amount === undefined) return fund(client)
  const to = client.other().walletId
  await model.during([me.walletId, to], async () => {
    await api.change({
      method: 'POST',
      operation: '/wallets/{id}/transfer',
      id: me.walletId,
      body: { toWalletId: to, amount: dollars(amount) },
      credential: me.session,
    })
    model.add(me.walletId, -amount)
    model.add(to, amount)
  })
}

export async function voucher(client: Client): Promise<void> {
  const { api, model, me, random } = client
  const amount = affordable(client, 2000)
  if (amount === undefined) return fund(client)
  await model.during([me.walletId], async () => {
    const { body } = await api.change<{ id: string; code: string }>({
      method: 'POST',
      operation: '/wallet-vouchers',
      body: { walletId: me.walletId, amount: dollars(amount) },
      credential: me.session,
    })
    model.add(me.walletId, -amount)
    model.set('wallets_voucher', body.id, 'ACTIVE')
    if (random.chance(0.3)) await cancelVoucher(client, body.id, amount)
    else if (random.chance(0.8)) await redeem(client, body, amount)
  })
}

async function cancelVoucher({ api, model, me }: Client, id: string, amount: bigint): Promise<void> {
  await api.change({ method: 'POST', operation: '/wallet-vouchers/{id}/cancel', id, credential: me.session })
  model.add(me.walletId, amount)
  model.set('wallets_voucher', id, 'CANCELLED')
}

async function redeem(
  client: Client,
  { id, code }: { id: string; code: string },
  amount: bigint,
): Promise<void> {
  const { api, model } = client
  const { walletId, session } = client.other()
  await model.during([walletId], async () => {
    await api.change({
      method: 'POST',
      operation: '/wallet-vouchers/redeem',
      body: { code, walletId },
      credential: session,
    })
    model.add(walletId, amount)
    model.set('wallets_voucher', id, 'REDEEMED')
  })
}

export async function payOut(client: Client): Promise<void> {
  const { api, model, me, random, journal } = client
  const amount = affordable(client, 2000)
  if (amount === undefined) return fund(client)
  await model.during([me.walletId], async () => {
    const { body } = await api.change<{ id: string }>({
      method: 'POST',
      operation: '/payouts/user/request',
      body: { amount: dollars(amount) },
      credential: me.session,
    })
    model.add(me.walletId, -amount)
    model.set('payouts_payout', body.id, 'sent')
    journal.count('payouts')
    if (!random.chance(0.3)) return
    // Once it is sent it cannot be canceled.
    const { status } = await api.change({
      method: 'POST',
      operation: '/payouts/{id}/cancel',
      id: body.id,
      credential: me.session,
      refusals: [409],
    })
    if (status >= 300) return
    model.add(me.walletId, amount)
    model.set('payouts_payout', body.id, 'CANCELED')
  })
}

/** What the agent earned goes to its owner. */
export async function collect(client: Client): Promise<void> {
  const { api, model, me } = client
  const { walletId, id: agentId } = me.agent
  const amount = model.balanceOf(walletId)
  if (amount < cents(1)) return
  await model.during([walletId, me.walletId], async () => {
    await api.change({
      method: 'POST',
      operation: '/payouts/agent-to-user',
      body: { agentId, amount: dollars(amount) },
      credential: me.session,
    })
    model.add(walletId, -amount)
    model.add(me.walletId, amount)
  })
}
