import { acceptedDeal, deliveredDeal, heldDeal, openMarket, publishAgent, registerHuman, fund } from '#test'
import { execute } from '../../../support/people/runs.ts'
import { listWriter } from '../deal-story.ts'
import { send, type MoneyAction, type Scene } from './action.ts'

const dealOf = async (
  scene: Scene,
  make: typeof heldDeal,
  side: 'buyer' | 'seller' = 'buyer',
): Promise<{ as: { email: string }; path: string }> => {
  const { buyer, agent } = scene.market
  const { id } = await make(scene.market)
  return { as: side === 'buyer' ? buyer : agent.owner, path: `/app/deals/${id}` }
}

const funded = async ({ service }: Scene, amount = 200) => {
  const person = await registerHuman(service)
  await fund(service, person, amount)
  return person
}

const subscribed = async (scene: Scene) => {
  const person = await funded(scene)
  await send(scene, person, '/subscriptions/checkout', { plan: 'PRO', rail: 'wallet' })
  return person
}

const inAccount = (as: { email: string }, page: string) => ({ as, path: `/app/${page}` })

/** The review of a hire at the listed price. */
const hire = (name: string, way: string, operation: string): MoneyAction => ({
  operation,
  title: `hire, paid by ${way}`,
  amount: '$25.00',
  confirm: 'Pay $25.00 and hire',
  isPage: true,
  prepare: async scene => {
    const { slug } = await listWriter(scene.service, name)
    return { as: scene.market.buyer, path: `/app/agents/${slug}/hire` }
  },
  ask: async (hands, page) => {
    await hands.type('What do you need?', 'Release notes')
    await page.getByLabel('Changes').fill('Faster search')
    await hands.press('Review')
    await page.getByRole('radio', { name: way, exact: true }).check()
  },
})

/** A run of an agent that its owner has to approve. */
const decideRun = (decision: 'approve' | 'reject', confirm: string): MoneyAction => ({
  operation: `POST /agents/my-runs/{id}/${decision}`,
  title: `${decision} a run that an agent asked for`,
  amount: '$10.00',
  confirm,
  prepare: async scene => {
    const { service, market } = scene
    const { buyer, agent } = market
    const spender = await publishAgent(service, buyer)
    await service.http('PATCH', `/agents/${spender.id}/budget`, {
      token: buyer.token,
      body: { approvalThreshold: 5 },
    })
    const run = await execute(market, await pricedAgent(scene, agent.owner), {
      input: 'go',
      initiatorAgentId: spender.id,
      sourceWalletId: buyer.walletId,
    })
    return { as: buyer, path: `/app/selling/runs/${run.execution.id}` }
  },
  ask: hands => hands.press(confirm),
})

const pricedAgent = async ({ service }: Scene, owner: Scene['market']['buyer']): Promise<string> =>
  (await publishAgent(service, owner, { pricing: { model: 'per_call', amount: 10, currency: 'USD' } })).id

export const RUNS: readonly MoneyAction[] = [
  decideRun('approve', 'Approve'),
  decideRun('reject', 'Reject'),
  {
    operation: 'POST /agents/my-runs/{id}/cancel',
    title: 'cancel a run that has not begun',
    amount: '$10.00',
    confirm: 'Cancel the run',
    prepare: async scene => {
      const { buyer, agent } = scene.market
      const run = await execute(scene.market, await pricedAgent(scene, agent.owner), { input: 'go' })
      return { as: buyer, path: `/app/selling/runs/${run.execution.id}` }
    },
    ask: hands => hands.press('Cancel the run'),
  },
  {
    operation: 'POST /agents/{id}/execute',
    title: 'run an agent',
    amount: '$10.00',
    confirm: 'Run the agent',
    prepare: async scene => {
      const person = await funded(scene)
      const id = await pricedAgent(scene, person)
      return { as: person, path: `/app/selling/agents/${id}/runs` }
    },
    ask: hands => hands.press('Run the agent'),
  },
]

export const DEALS: readonly MoneyAction[] = [
  {
    operation: 'POST /payments/ap2/initiate',
    title: 'pay an agreed deal',
    amount: '$100.00',
    confirm: 'Pay',
    prepare: scene => dealOf(scene, acceptedDeal),
    ask: hands => hands.press('Pay $100.00 into escrow'),
  },
  hire('Confirmed by wallet', 'Your wallet', 'POST /payments/ap2/initiate'),
  hire('Confirmed by test card', 'Test card', 'POST /payments/stripe/create'),
  hire('Confirmed by card', 'Card', 'POST /payments/create-agent-checkout'),
  {
    operation: 'POST /payments/ap2/release',
    title: 'release a payment',
    amount: '$100.00',
    confirm: 'Release',
    prepare: scene => dealOf(scene, deliveredDeal),
    ask: async hands => {
      await hands.press('Release payment')
      await hands.press('Continue')
    },
  },
  {
    operation: 'POST /ap2/cancel',
    title: 'cancel a paid deal',
    amount: '$100.00',
    confirm: 'Cancel the deal',
    prepare: scene => dealOf(scene, heldDeal),
    ask: hands => hands.press('Cancel the deal'),
  },
  {
    operation: 'POST /payments/escrow/{id}/refund',
    title: 'return the money of a deal',
    amount: '$100.00',
    confirm: 'Return the money',
    prepare: scene => dealOf(scene, heldDeal, 'seller'),
    ask: hands => hands.press('Return the money'),
  },
]

export const WALLETS: readonly MoneyAction[] = [
  {
    operation: 'POST /wallets/{id}/fund',
    title: 'add money to a wallet',
    amount: '$12.00',
    confirm: 'Add $12.00',
    prepare: async ({ service }) => {
      const person = await registerHuman(service)
      return inAccount(person, `wallet/${person.walletId}`)
    },
    ask: async hands => {
      await hands.press('Add money')
      await hands.type('Amount', '12')
    },
  },
  {
    operation: 'POST /wallets/{id}/fund',
    title: 'add what a wallet lacks for a deal',
    amount: '$99.00',
    confirm: 'Add test money',
    prepare: async ({ service }) => {
      const market = await openMarket(service, { amount: 1 })
      const { id } = await acceptedDeal(market)
      return { as: market.buyer, path: `/app/deals/${id}` }
    },
    ask: async (hands, page) => {
      await page.getByRole('radio', { name: 'Your wallet' }).check()
      await hands.press('Add $99.00 by test card')
    },
  },
  {
    operation: 'POST /wallets/{id}/transfer',
    title: 'transfer money to a person',
    amount: '$5.00',
    confirm: 'Send',
    prepare: async scene => {
      const person = await funded(scene)
      return inAccount(person, `wallet/${person.walletId}?to=${scene.market.buyer.walletId}`)
    },
    ask: async (hands, page) => {
      const to = new URL(page.url()).searchParams.get('to') ?? ''
      await hands.press('Transfer')
      await page.getByRole('dialog').getByRole('textbox', { name: /^To/ }).fill(to)
      await hands.type('Amount', '5')
      await hands.press('Continue')
      await page.getByRole('heading', { name: '$5.00' }).waitFor()
    },
  },
  {
    operation: 'POST /wallet-vouchers',
    title: 'make a voucher',
    amount: '$10.00',
    confirm: 'Create for $10.00',
    prepare: async scene => inAccount(await funded(scene), 'vouchers'),
    ask: async (hands, page) => {
      await page.getByRole('button', { name: 'Create a voucher' }).first().click()
      await hands.type('Amount', '10')
    },
  },
  {
    operation: 'POST /wallet-vouchers/{id}/cancel',
    title: 'cancel a voucher',
    amount: '$10.00',
    confirm: 'Cancel the voucher',
    prepare: async scene => {
      const person = await funded(scene)
      await send(scene, person, '/wallet-vouchers', { walletId: person.walletId, amount: 10 })
      return inAccount(person, 'vouchers')
    },
    ask: hands => hands.press('Cancel the voucher'),
  },
  {
    operation: 'POST /v1/wallet/topup',
    title: 'move money to the routing balance',
    amount: '$9.00',
    confirm: 'Top up',
    prepare: async scene => inAccount(await funded(scene), 'developer/balance'),
    ask: async hands => {
      await hands.type('Amount', '9')
      await hands.press('Top up')
    },
  },
  {
    operation: 'POST /v1/wallet/withdraw',
    title: 'move money back from the routing balance',
    amount: '$4.00',
    confirm: 'Withdraw',
    prepare: async scene => {
      const person = await funded(scene)
      await send(scene, person, '/v1/wallet/topup', { amount: '9', sourceWalletId: person.walletId })
      return inAccount(person, 'developer/balance')
    },
    ask: async hands => {
      await hands.type('Amount', '4')
      await hands.press('Withdraw')
    },
  },
  {
    operation: 'DELETE /users/me',
    title: 'delete an account that has money',
    amount: '$200.00',
    confirm: 'Delete the account for good',
    prepare: async scene => inAccount(await funded(scene), 'account'),
    ask: async hands => {
      await hands.press('Delete the account')
      await hands.type('Type DELETE MY ACCOUNT', 'DELETE MY ACCOUNT')
    },
  },
]

export const PLANS: readonly MoneyAction[] = [
  ...(['Pay from the wallet', 'Pay by card'] as const).map((way): MoneyAction => ({
    operation: 'POST /subscriptions/checkout',
    title: `subscribe to a plan: ${way}`,
    amount: '$59.00',
    confirm: 'Pay',
    prepare: async scene => inAccount(await funded(scene), 'account/plan'),
    ask: hands => hands.press(way),
  })),
  {
    operation: 'POST /subscriptions/checkout',
    title: 'continue a plan that was cancelled',
    amount: '$59.00',
    confirm: 'Continue the plan',
    prepare: async scene => {
      const person = await subscribed(scene)
      await send(scene, person, '/subscriptions/cancel')
      return inAccount(person, 'account/plan')
    },
    ask: hands => hands.press('Continue the plan'),
  },
  {
    operation: 'POST /subscriptions/cancel',
    title: 'end a plan at once',
    amount: 'is returned to your wallet',
    confirm: 'Cancel the plan',
    prepare: async scene => inAccount(await subscribed(scene), 'account/plan'),
    ask: async (hands, page) => {
      await hands.press('Cancel the plan')
      await page.getByRole('radio', { name: /^Now: about \$\d+\.\d+ / }).check()
    },
  },
]
