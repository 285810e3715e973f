import { AffiliateTrial, connectBank, deliveredDeal, eventually, fund, must, registerHuman } from '#test'
import { send, type MoneyAction, type Scene } from './action.ts'

const PAGE = '/app/selling/payouts'

/** A person with a bank account and money. */
async function earner({ service }: Scene) {
  const person = await registerHuman(service)
  await connectBank(service, person.token)
  await fund(service, person, 50)
  return person
}

/** The agent of the market with a bank account and earned money. */
async function earningAgent({ service, market }: Scene) {
  const { owner, id } = market.agent
  await connectBank(service, owner.token, { agentId: id })
  const { escrowId } = await deliveredDeal(market)
  await must(market, 'buyer', '/payments/ap2/release', { escrowId })
  return { as: owner, path: `${PAGE}?agent=${id}` }
}

const payout = (operation: string, owner: string, prepare: MoneyAction['prepare']): MoneyAction => ({
  operation,
  title: `pay out the money of ${owner}`,
  amount: '$5.00',
  confirm: 'Pay out',
  prepare,
  ask: async hands => {
    await hands.type('Amount to pay out', '5')
    await hands.press('Pay out')
  },
})

export const EARNINGS: readonly MoneyAction[] = [
  payout('POST /payouts/user/request', 'a person', async scene => ({ as: await earner(scene), path: PAGE })),
  payout('POST /payouts/request', 'an agent', earningAgent),
  payout('POST /payouts/org/request', 'an organization', async scene => {
    const person = await earner(scene)
    const slug = `works-${person.id.slice(-8)}`
    const { token } = person
    await send(scene, person, '/organizations', { slug, name: 'Works' })
    const { body } = await scene.service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token })
    const toWalletId = body.id
    await send(scene, person, `/wallets/${person.walletId}/transfer`, { toWalletId, amount: '20' })
    await connectBank(scene.service, person.token, { organizationSlug: slug })
    return { as: person, path: `${PAGE}?organization=${slug}` }
  }),
  {
    operation: 'POST /payouts/{id}/cancel',
    title: 'cancel a payout',
    amount: '$6.00',
    confirm: 'Cancel the payout',
    prepare: async scene => {
      const person = await earner(scene)
      await send(scene, person, '/payouts/user/request', { amount: 6 })
      return { as: person, path: PAGE }
    },
    ask: hands => hands.press('Cancel the payout of $6.00'),
  },
  {
    operation: 'POST /payouts/agent-to-user',
    title: 'move the money of an agent to the wallet of its owner',
    amount: '$7.00',
    confirm: 'Move to my wallet',
    prepare: earningAgent,
    ask: async hands => {
      await hands.type('Amount to move', '7')
      await hands.press('Move to my wallet')
    },
  },
  {
    operation: 'POST /affiliates/payout',
    title: 'pay out commissions',
    amount: '$4.00',
    confirm: 'Pay out',
    prepare: async ({ service, market: { admin } }) => {
      const trial = new AffiliateTrial(service, admin)
      const affiliate = await trial.affiliate(undefined, { rateBps: 2000, months: 12, holdDays: 0 })
      const market = await trial.market(affiliate)
      await trial.release(market, await trial.delivered(market))
      await eventually(
        'the commission is available',
        async () => (await trial.sums(affiliate)).available === '4.00',
      )
      return { as: affiliate, path: '/app/affiliate' }
    },
    ask: hands => hands.press('Pay out'),
  },
]
