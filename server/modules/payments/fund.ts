import { setTimeout as sleep } from 'node:timers/promises'
import type { Static } from 'typebox'
import { demandOwnWallet, transactionOfJournal, walletView, type Wallet } from '#wallets'
import { after, DAY, HOUR } from '#platform/clock'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { formatMoney, parseAmount, toCents } from '#platform/money'
import { CardDeclined } from '#platform/processor/processor'
import type { Services } from '#platform/services'
import { end } from './booking.ts'
import { WALLET_FUNDING } from './facts.ts'
import { PAYMENTS } from './faults.ts'
import { processorOf } from './processor.ts'
import type { FundWallet } from './schema.ts'
import * as statements from './sql.ts'
import type { Intent } from './sql.ts'

const MIN_CARD = 500_000n
const MAX_CARD = 999_999_990_000n
/** How long an answer waits for the processor's notification. */
const PATIENCE_MS = 5000

type Funding = Static<typeof FundWallet>

/**
 * Funds a wallet by card: the payment is written first, then the processor is asked outside any transaction, and only
 * its signed notification credits. Answers when that was booked, or after 5 s with the transaction still PENDING.
 * With a return URL, or by rail `checkout`, the answer names a hosted page instead. Faults: 400 for a declined card,
 * an amount that no card takes, a rail that is not here.
 */
export async function fundWallet(services: Services, actor: Actor, input: Funding & { walletId: string }) {
  const { db, clock } = services
  const wallet = await demandOwnWallet(db, actor, input.walletId)
  const amount = cardAmount(wallet, input)
  const hosted = input.rail === 'checkout' || input.returnUrl !== undefined
  const paymentMethod = hosted ? null : methodOf(services, input)
  const now = clock.now()
  const processor = processorOf(services)
  const intent = await db.one(statements.insertIntent({
    id: newId(), purpose: WALLET_FUNDING, reference: wallet.id, account_id: actor.accountId, amount, currency: wallet.currency,
    rail: hosted ? 'checkout' : 'card', payment_method: paymentMethod, return_url: returnUrlOf(input),
    expires_at: after(now, hosted ? DAY : HOUR), created_at: now,
  }))
  const order = { id: intent.id, cents: toCents(amount), description: `Wallet ${wallet.id}` }
  if (paymentMethod === null) {
    const { checkoutId, url } = await processor.openCheckout({ ...order, returnUrl: intent.return_url })
    await db.run(statements.setCheckoutId(intent.id, checkoutId))
    return { ...await answer(services, wallet, intent), checkout: { id: checkoutId, url } }
  }
  await charge(services, intent, () => processor.charge({ ...order, paymentMethodId: paymentMethod }))
  return answer(services, wallet, await settled(services, intent))
}

function cardAmount(wallet: Wallet, { amount, rail }: Funding): bigint {
  if (rail === 'x402') throw fault(PAYMENTS.RAIL_UNAVAILABLE, { hint: 'x402 is not available on this server yet, use rail card' })
  if (wallet.currency !== 'USD') throw fault(PAYMENTS.CARD_CURRENCY, { hint: `a card pays in USD, this wallet holds ${wallet.currency}` })
  const micro = parseAmount(amount, { cents: true })
  if (micro < MIN_CARD || micro > MAX_CARD) throw fault(PAYMENTS.CARD_AMOUNT, { hint: `a card pays from ${formatMoney(MIN_CARD)} to ${formatMoney(MAX_CARD)} USD` })
  return micro
}

function methodOf({ config }: Services, { paymentMethodId }: Funding): string {
  if (paymentMethodId) return paymentMethodId
  if (config.sandbox) return 'pm_card_visa'
  throw invalid('paymentMethodId is required')
}

function returnUrlOf({ returnUrl }: Funding): string | null {
  if (returnUrl === undefined) return null
  if (!/^https?:\/\//i.test(returnUrl) || !URL.canParse(returnUrl)) throw invalid('returnUrl must be an http or https URL')
  return returnUrl
}

// A processor that gives no answer leaves the payment PENDING: a notification may still come, else it expires.
async function charge({ db, log }: Services, intent: Intent, ask: () => Promise<{ processorId: string }>): Promise<void> {
  try {
    const { processorId } = await ask()
    await db.run(statements.setProcessorId(intent.id, processorId))
  } catch (error) {
    if (!(error instanceof CardDeclined)) throw error
    log.info({ payment: intent.id, code: error.code }, 'card declined')
    await db.transaction(async tx => {
      const row = await tx.one(statements.lockIntent(intent.id))
      if (row.status === 'PENDING') await end(tx, row, { event: 'fail', by: 'processor', code: error.code, message: error.message })
    })
    throw fault(PAYMENTS.CARD_DECLINED, { hint: error.message, details: { paymentId: intent.id, declineCode: error.code }, cause: error })
  }
}

/** The payment once its notification was booked, or as it is when the patience ends. */
async function settled({ db }: Services, intent: Intent): Promise<Intent> {
  const deadline = performance.now() + PATIENCE_MS
  for (let pause = 5; ; pause = Math.min(pause * 2, 200)) {
    const row = await db.one(statements.intentById(intent.id))
    if (row.status === 'SUCCEEDED' || row.status === 'FAILED' || performance.now() > deadline) return row
    await sleep(pause)
  }
}

async function answer({ db }: Services, wallet: Wallet, intent: Intent) {
  const booked = intent.journal_id ? await transactionOfJournal(db, wallet, intent.journal_id) : undefined
  const { id, amount, currency, created_at: createdAt } = intent
  const pending = {
    id, type: 'fund', status: 'PENDING', direction: 'IN', amount: formatMoney(amount), currency, test: false, balanceAfter: null,
    counterpart: 'card', memo: null, reference: { paymentId: id }, createdAt: createdAt.toISOString(),
  }
  return { wallet: await walletView(db, wallet), transaction: booked ?? pending }
}
