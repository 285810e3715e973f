import {
  acceptedDeal,
  as,
  eventually,
  fundingBy,
  must,
  notifyOf,
  openMarket,
  pendingPage,
  processorEvent,
  registerHuman,
  reservedDeal,
  suspendMoney,
  type Market,
  type TestService,
} from '#test'
import type { Books } from './books.ts'

const DAY = 86_400
const CARD = 'pm_card_visa'

/** Money that a card brings. */
export async function driveCards(service: TestService, books: Books): Promise<void> {
  const payer = await registerHuman(service)
  await books.drive(
    'cardFunding',
    async () => ({ payment: await fundingBy(service, payer, 200), payer: payer.walletId }),
    [payer],
  )
  const { intent } = await pendingPage(service, 20, payer)
  const { balance_transaction: _, ...unpriced } = intent
  await notifyOf(service, processorEvent('payment_intent.succeeded', unpriced))
  await books.drive('lateFee', async () => {
    await notifyOf(service, processorEvent('payment_intent.succeeded', intent))
    return { payment: intent.metadata.paymentId }
  })
}

/** Deals that a card pays for. */
export async function driveCardDeals(service: TestService, books: Books): Promise<void> {
  const market = await openMarket(service, { amount: 1 })
  const buyer = market.buyer.walletId
  const { id: agentId } = market.agent
  const pay = (session: string) =>
    service.http('POST', `/sandbox/checkout/${session}`, { body: { paymentMethodId: CARD } })
  await books.drive(
    'hostedHire',
    async () => {
      const body = { agentId, amount: 5 }
      type Hired = { escrowId: string; checkoutSessionId: string }
      const path = '/payments/create-agent-checkout'
      const { escrowId, checkoutSessionId } = await must<Hired>(market, 'buyer', path, body)
      await pay(checkoutSessionId)
      return { escrow: escrowId, buyer }
    },
    [market.buyer],
  )
  await books.drive('cardHire', async () => {
    const body = { agentId, amount: 5, currency: 'USD', paymentMethodId: CARD }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/stripe/create', body)
    return { escrow: escrowId, buyer }
  })
  const { id: negotiationId } = await acceptedDeal(market)
  await books.drive('cardEscrow', async () => {
    const body = { negotiationId, rail: 'card', paymentMethodId: CARD }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)
    return { escrow: escrowId, buyer }
  })
  await driveLateCard(service, books, market)
}

async function driveLateCard(service: TestService, books: Books, market: Market): Promise<void> {
  const { escrowId } = await reservedDeal(market)
  await service.advance(DAY)
  await books.drive(
    'lateCard',
    async () => {
      const object = {
        id: `pi_late_${escrowId}`,
        amount_received: 10_000,
        currency: 'usd',
        metadata: { paymentId: escrowId },
        balance_transaction: { fee: 59 },
      }
      await notifyOf(service, processorEvent('payment_intent.succeeded', object))
      return { escrow: escrowId, buyer: market.buyer.walletId }
    },
    [market.buyer],
  )
}

/** Money that fits no payment. */
export async function driveSuspense(service: TestService, books: Books): Promise<void> {
  const token = await service.adminToken()
  const payer = await registerHuman(service)
  const suspended = async () => ({ money: await suspendMoney(service, payer, 1400) })
  const exit = async (money: string, how: string, body: object) => {
    const path = `/admin/suspense/${money}/${how}`
    const { status, text } = await service.http('POST', path, { token, body: { reason: 'test', ...body } })
    if (status > 201) throw new Error(text)
  }
  const { money: assigned = '' } = await books.drive('cardSuspense', suspended)
  await books.drive(
    'suspenseAssigned',
    async () => {
      await exit(assigned, 'assign', { walletId: payer.walletId })
      return { money: assigned, payer: payer.walletId }
    },
    [payer],
  )
  const { money: returned } = await suspended()
  await books.drive('suspenseReturned', async () => {
    await exit(returned, 'return', {})
    return { money: returned }
  })
  const { intent } = await pendingPage(service, 20, payer)
  await notifyOf(service, processorEvent('payment_intent.succeeded', { ...intent, amount_received: 1400 }))
  await books.drive(
    'suspenseCorrected',
    async () => {
      await notifyOf(service, processorEvent('payment_intent.succeeded', intent))
      return { payment: intent.metadata.paymentId, payer: payer.walletId }
    },
    [payer],
  )
}

/** Refunds to the card that paid. */
export async function driveCardRefunds(service: TestService, books: Books): Promise<void> {
  const market = await openMarket(service, { amount: 1 })
  const held = async (paymentMethodId: string) => {
    const { id: negotiationId } = await acceptedDeal(market)
    const body = { negotiationId, rail: 'card', paymentMethodId }
    return (await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', body)).escrowId
  }
  const refund = async (escrow: string) => {
    const path = `/payments/escrow/${escrow}/refund`
    const { status, text, body } = await as<{ refund: { id: string } }>(market, 'seller', path, {
      to: 'card',
    })
    if (status !== 201) throw new Error(text)
    return { escrow, refund: body.refund.id }
  }
  const good = await held(CARD)
  await books.drive('cardRefund', () => refund(good))
  const names = await refund(await held('pm_card_refundFail'))
  await untilRefundIs(service, names.refund, 'SUCCEEDED')
  await books.drive(
    'refundFailed',
    async () => {
      await service.advance(3600)
      await untilRefundIs(service, names.refund, 'FAILED')
      return { refund: names.refund, buyer: market.buyer.walletId }
    },
    [market.buyer],
  )
}

async function untilRefundIs(service: TestService, id: string, status: string): Promise<void> {
  const { pool } = service.services.db
  await eventually(`refund ${id} is ${status}`, async () => {
    const { rowCount } = await pool.query('select from payments_refund where id = $1 and status = $2', [
      id,
      status,
    ])
    return rowCount === 1
  })
}
