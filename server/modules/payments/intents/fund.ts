import type { Static } from '#platform/http/type'
import { requireOwnWallet, walletHistory, type Transaction, type Wallet } from '#wallets'
import { after, DAY, HOUR } from '#platform/kernel/clock'
import type { RequestContext } from '#platform/http/principal'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { FundWallet } from '../schema.ts'
import type { Intent } from '../sql.ts'
import { fundOnChain } from './crypto-funding.ts'
import {
  chargedMethod,
  pageLink,
  requireCardPayable,
  startCardPayment,
  type CardPayment,
} from './card-payment.ts'

type Funding = Static<typeof FundWallet>
type Request = Funding & { walletId: string; paymentId: string }

/**
 * Funds a wallet; only the word of the processor, or a final transfer on the chain, credits it. With a return URL, or by rail `checkout`, the answer
 * names a hosted page instead. ApiErrors: 400 for a declined card, an amount that no card takes, a rail that is not
 * here; 503 when no page could be opened.
 */
export async function fundWallet(services: Services, ctx: RequestContext, request: Request) {
  const wallet = await requireOwnWallet(services.db, ctx, request.walletId)
  if (request.rail === 'x402')
    return fundOnChain(services, { wallet, accountId: ctx.principal.accountId, request })
  const { payment, checkout } = await startCardPayment(
    services,
    fundingOf(services, { wallet, ctx, request }),
  )
  return { ...(await answer(services, wallet, payment)), checkout }
}

/** Whether nothing will change in an answer: a page to pay on, or money that was booked. */
export const isFinal = ({
  transaction,
  checkout,
}: {
  transaction: { status: string }
  checkout?: unknown
}): boolean => checkout !== undefined || transaction.status !== 'PENDING'

interface Payer {
  wallet: Wallet
  ctx: RequestContext
  request: Request
}

function fundingOf(services: Services, { wallet, ctx, request }: Payer): CardPayment {
  const isHosted = request.rail === 'checkout' || request.returnUrl !== undefined
  return {
    paymentId: request.paymentId,
    purpose: 'WALLET_FUNDING',
    reference: wallet.id,
    accountId: ctx.principal.accountId,
    amount: cardAmount(wallet, request),
    currency: wallet.currency,
    paymentMethodId: isHosted ? null : chargedMethod(services, request.paymentMethodId),
    returnUrl: pageLink('returnUrl', request.returnUrl),
    description: `Wallet ${wallet.id}`,
    expiresAt: after(services.clock.now(), isHosted ? DAY : HOUR),
    receipt: request.receipt,
  }
}

function cardAmount({ currency }: Wallet, { amount }: Funding): bigint {
  const micro = parseAmount(amount, { cents: currency === 'USD' })
  requireCardPayable({ amount: micro, currency })
  return micro
}

async function answer({ db }: Services, wallet: Wallet, intent: Intent) {
  const { id, amount, currency, createdAt, journalId } = intent
  const booked = await db.snapshot(q => walletHistory.walletAndTransaction(q, wallet, journalId))
  const pending: Static<typeof Transaction> = {
    id,
    type: 'fund',
    status: 'PENDING',
    direction: 'IN',
    amount: formatMoney(amount),
    currency,
    test: false,
    balanceAfter: null,
    counterpart: 'card',
    memo: null,
    reference: { paymentId: id },
    createdAt: createdAt.toISOString(),
  }
  return { wallet: booked.wallet, transaction: booked.transaction ?? pending }
}
