import type { Static } from 'typebox'
import { demandOwnWallet, transactionOfJournal, walletView, type Wallet } from '#wallets'
import { after, DAY, HOUR, MINUTE } from '#platform/clock'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { formatMoney, parseAmount, toCents } from '#platform/money'
import type { Services } from '#platform/services'
import { charge, openPage, settled } from './charge.ts'
import { WALLET_FUNDING } from './facts.ts'
import { PAYMENTS } from './faults.ts'
import { installationOf, processorOf } from './processor.ts'
import type { FundWallet } from './schema.ts'
import * as statements from './sql.ts'
import type { Intent } from './sql.ts'

const MIN_CARD = 500_000n
const MAX_CARD = 999_999_990_000n

type Funding = Static<typeof FundWallet>
type Request = Funding & { walletId: string; paymentId: string }

/**
 * Funds a wallet by card: the payment is written first, then the processor is asked outside any transaction, and only
 * its word credits. Answers when that was booked, or after 5 s with the transaction still PENDING, also where the
 * processor gave no answer. Called again with the same `paymentId` it goes on with that payment and charges nothing
 * twice. With a return URL, or by rail `checkout`, the answer names a hosted page instead. Faults: 400 for a declined
 * card, an amount that no card takes, a rail that is not here; 503 when no page could be opened.
 */
export async function fundWallet(services: Services, actor: Actor, request: Request) {
  const wallet = await demandOwnWallet(services.db, actor, request.walletId)
  processorOf(services)
  const intent = await written(services, draft(services, { wallet, actor, request }))
  const installation = await installationOf(services)
  const order = { id: intent.id, installation, cents: toCents(intent.amount), description: `Wallet ${wallet.id}` }
  if (intent.payment_method === null) {
    const checkout = await openPage(services, { ...order, returnUrl: intent.return_url })
    return { ...await answer(services, wallet, intent), checkout }
  }
  const patienceMs = await charge(services, { ...order, paymentMethodId: intent.payment_method })
  return answer(services, wallet, await settled(services, intent, patienceMs))
}

/** Whether nothing will change in an answer: a page to pay on, or money that was booked. */
export const isFinal = ({ transaction, checkout }: { transaction: { status: string }; checkout?: unknown }): boolean =>
  checkout !== undefined || transaction.status !== 'PENDING'

interface Payer { wallet: Wallet; actor: Actor; request: Request }

function draft(services: Services, { wallet, actor, request }: Payer): statements.NewIntent {
  const now = services.clock.now()
  const amount = cardAmount(wallet, request)
  const hosted = request.rail === 'checkout' || request.returnUrl !== undefined
  return {
    id: request.paymentId, purpose: WALLET_FUNDING, reference: wallet.id, account_id: actor.accountId,
    amount, currency: wallet.currency, return_url: returnUrlOf(request), created_at: now,
    ...(hosted
      ? { rail: 'checkout', payment_method: null, ask_at: after(now, 5 * MINUTE), expires_at: after(now, DAY) }
      : { rail: 'card', payment_method: methodOf(services, request), ask_at: after(now, MINUTE), expires_at: after(now, HOUR) }),
  }
}

const written = async ({ db }: Services, intent: statements.NewIntent): Promise<Intent> =>
  await db.maybe(statements.insertIntent(intent)) ?? db.one(statements.intentById(intent.id))

function cardAmount(wallet: Wallet, { amount, rail }: Funding): bigint {
  if (rail === 'x402') throw fault(PAYMENTS.RAIL_UNAVAILABLE, { hint: 'x402 is not available on this server yet, use rail card' })
  if (wallet.currency !== 'USD') throw fault(PAYMENTS.CARD_CURRENCY, { hint: `A card pays in USD, this wallet holds ${wallet.currency}` })
  const micro = parseAmount(amount, { cents: true })
  if (micro < MIN_CARD || micro > MAX_CARD) throw fault(PAYMENTS.CARD_AMOUNT, { hint: `A card pays from ${formatMoney(MIN_CARD)} to ${formatMoney(MAX_CARD)} USD` })
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

async function answer({ db }: Services, wallet: Wallet, intent: Intent) {
  const booked = intent.journal_id ? await transactionOfJournal(db, wallet, intent.journal_id) : undefined
  const { id, amount, currency, created_at: createdAt } = intent
  const pending = {
    id, type: 'fund', status: 'PENDING', direction: 'IN', amount: formatMoney(amount), currency, test: false, balanceAfter: null,
    counterpart: 'card', memo: null, reference: { paymentId: id }, createdAt: createdAt.toISOString(),
  }
  return { wallet: await db.snapshot(q => walletView(q, wallet)), transaction: booked ?? pending }
}
