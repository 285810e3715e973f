import {
  AffiliateTrial,
  ChargebackTrial,
  deliveredDeal,
  fund,
  makeAdmin,
  mine,
  must,
  Payer,
  publishAgent,
  registerHuman,
  suspendMoney,
  type Person,
  type X402Answer,
} from '#test'
import type { Page } from 'playwright-core'
import { ADMIN } from '../desk.ts'
import type { Hands } from '../hands.ts'
import { send, type MoneyAction, type Scene } from './action.ts'

/** Chooses the wallet of a person, whom the test finds by the address. */
async function chooseWallet(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  const dialog = page.getByRole('dialog')
  const account = dialog.getByRole('combobox', { name: 'Account' })
  await account.click()
  await account.fill(email)
  await page.getByRole('option').first().click()
  await dialog.getByRole('combobox', { name: 'Wallet' }).click()
  await page.getByRole('option').first().click()
}

const withReason = async (hands: Hands, button: string): Promise<void> => {
  await hands.press(button)
  await hands.type('Reason', 'Checked by phone')
}

const on = (page: string) => ({ as: ADMIN, path: `/app/admin/${page}` })

/** A payment by card that fits nothing. */
const suspense = (cents: number) => async (scene: Scene) => {
  await suspendMoney(scene.service, await registerHuman(scene.service), cents)
  return on('suspense')
}

/** A transfer of USDC that fits nothing, and a person with a wallet for it. */
const chainTransfer = (amount: bigint, receiver: { email: string }) => async (scene: Scene) => {
  const { service } = scene
  const person = await registerHuman(service)
  Object.assign(receiver, { email: person.email })
  await send(scene, person, '/wallets', { currency: 'USDC' })
  const payer = await Payer.open(service, 10)
  const { paymentRequest } = await send<X402Answer>(scene, person, '/payments/x402/initiate', {
    agentId: (await publishAgent(service, await registerHuman(service))).id,
    amount: 3,
  })
  await payer.transfer(paymentRequest.to, amount)
  await mine(service)
  return on('suspense?kind=transfers')
}

/** A transfer that is too large for one admin, requested by another one. */
const approval = (amount: number) => async (scene: Scene) => {
  const { service } = scene
  const [second, from, to] = [
    await registerHuman(service),
    await registerHuman(service),
    await registerHuman(service),
  ]
  await makeAdmin(service, second)
  await fund(service, from, 2000)
  const body = { fromWalletId: from.walletId, toWalletId: to.walletId, amount, reason: 'Settlement' }
  await send(scene, second, '/wallets/transfer', body)
  return on('approvals')
}

/** A commission of an affiliate whose own agent sold. */
async function suspectedCommission({ service }: Scene) {
  // The token of the market may be older than five minutes here: a decision needs a fresh sign-in.
  const trial = new AffiliateTrial(service, await service.adminToken())
  const earner = await trial.affiliate()
  const market = { ...(await trial.market(earner)), buyer: earner }
  await fund(service, earner, 200)
  const agent = await publishAgent(service, earner)
  await trial.release(market, await trial.delivered(market, { referrerAgentId: agent.id }))
  return on('affiliates?tab=commissions&status=FRAUD_HOLD')
}

const receiver = { email: '' }

export const OPERATORS: readonly MoneyAction[] = [
  {
    operation: 'POST /payments/escrow/{id}/resolve',
    title: 'decide a dispute',
    amount: '$100.00',
    confirm: 'Decide',
    prepare: async ({ market }) => {
      const { escrowId } = await deliveredDeal(market)
      await must(market, 'buyer', `/payments/escrow/${escrowId}/dispute`, {
        reason: 'Two chapters are missing',
      })
      return on(`escrows/${escrowId}`)
    },
    ask: async hands => {
      await hands.press('Decide')
      await hands.type('Statement to both parties', 'Nothing was missing')
    },
  },
  {
    operation: 'POST /admin/chargebacks/{id}/write-off',
    title: 'write a loss off',
    amount: '$31.00',
    confirm: 'Write off',
    prepare: async ({ service }) => {
      const trial = await ChargebackTrial.of(service)
      const { disputeId } = await trial.disputed(31, 31)
      await trial.lose(disputeId)
      return on('chargebacks')
    },
    ask: hands => withReason(hands, 'Write off: $31.00'),
  },
  {
    operation: 'POST /admin/suspense/{id}/assign',
    title: 'assign a payment that fits nothing',
    amount: '$12.51',
    confirm: 'Assign',
    prepare: async scene => {
      Object.assign(receiver, { email: scene.market.buyer.email })
      return suspense(1251)(scene)
    },
    ask: async (hands, page) => {
      await withReason(hands, 'Assign: $12.51')
      await chooseWallet(page, receiver)
    },
  },
  {
    operation: 'POST /admin/suspense/{id}/return',
    title: 'return a payment that fits nothing',
    amount: '$12.52',
    confirm: 'Return',
    prepare: suspense(1252),
    ask: hands => withReason(hands, 'Return: $12.52'),
  },
  {
    operation: 'POST /admin/unclaimed/{walletId}/assign',
    title: 'assign money of a deleted account',
    amount: '$15.25',
    confirm: 'Assign',
    prepare: async ({ service, market }) => {
      Object.assign(receiver, { email: market.buyer.email })
      const gone = await registerHuman(service)
      await fund(service, gone, 15.25)
      await service.http('DELETE', '/users/me', { token: gone.token })
      return on('suspense?kind=unclaimed')
    },
    ask: async (hands, page) => {
      await withReason(hands, 'Assign: $15.25')
      await chooseWallet(page, receiver)
    },
  },
  {
    operation: 'POST /admin/x402/transfers/{id}/assign',
    title: 'assign a transfer on the chain',
    amount: '1.25 USDC',
    confirm: 'Assign',
    prepare: chainTransfer(1_250_000n, receiver),
    ask: async (hands, page) => {
      await withReason(hands, 'Assign: 1.25 USDC')
      await chooseWallet(page, receiver)
    },
  },
  {
    operation: 'POST /admin/x402/transfers/{id}/return',
    title: 'return a transfer on the chain',
    amount: '1.75 USDC',
    confirm: 'Return',
    prepare: chainTransfer(1_750_000n, receiver),
    ask: hands => withReason(hands, 'Return: 1.75 USDC'),
  },
  ...(['approve', 'reject'] as const).map((decision, index): MoneyAction => {
    const button = decision === 'approve' ? 'Approve' : 'Reject'
    const amount = `$1,50${index}.00`
    return {
      operation: `POST /admin/approvals/{id}/${decision}`,
      title: `${decision} what another admin requested`,
      amount,
      confirm: button,
      prepare: approval(1500 + index),
      ask: (_, page) =>
        page
          .getByRole('row')
          .filter({ hasText: amount })
          .getByRole('button', { name: `${button}: Transfer between wallets` })
          .click(),
    }
  }),
  ...(['clear', 'confirm-fraud'] as const).map((decision): MoneyAction => {
    const button = decision === 'clear' ? 'Clear' : 'Confirm fraud'
    return {
      operation: `POST /affiliates/admin/commissions/{id}/${decision}`,
      title: `${button} of a suspected commission`,
      amount: '$4.00',
      confirm: button,
      prepare: suspectedCommission,
      ask: (_, page) =>
        page
          .getByRole('button', { name: `${button}: $4.00` })
          .first()
          .click(),
    }
  }),
]
