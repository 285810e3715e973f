import type { Client } from './client.ts'
import { dollars } from './model.ts'
import { affordable, fund } from './money.ts'

/** A model request. It has no key: one without an answer is sent again, and both may be charged. */
export async function ask(client: Client): Promise<void> {
  const { api, model, me, random, journal } = client
  const { status, body } = await api.send<{ id?: string }>({
    method: 'POST',
    operation: '/v1/chat/completions',
    body: {
      model: 'auto',
      max_tokens: 32,
      messages: [{ role: 'user', content: `Say hello ${random.below(1_000_000)}` }],
    },
    credential: me.routingKey,
    refusals: [402, 502, 504],
  })
  if (status === 402) return topUp(client)
  if (body.id) model.routing.get(me.id)?.answered.set(body.id, Date.now())
  journal.count('model responses')
}

export async function topUp(client: Client): Promise<void> {
  const { api, model, me } = client
  const amount = affordable(client, 500)
  if (amount === undefined) return fund(client)
  await model.during([me.walletId], async () => {
    await api.change({
      method: 'POST',
      operation: '/v1/wallet/topup',
      body: { amount: dollars(amount), sourceWalletId: me.walletId },
      credential: me.session,
    })
    model.add(me.walletId, -amount)
    const funds = model.routing.get(me.id)
    if (funds) funds.paidIn += amount
  })
}
