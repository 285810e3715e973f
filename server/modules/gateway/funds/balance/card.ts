import type { Static } from '#platform/http/type'
import { cardPayments } from '#payments'
import { after, DAY, HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import type { TopupBody } from './schema.ts'
import { ASSET, balanceView, topUp } from './wallet.ts'

type Body = Static<typeof TopupBody>
interface Request {
  body: Body
  /** Id of the payment: the same for a repeated request. */
  subjectId: string
}

/**
 * Tops up the routing balance of the caller: from a wallet in this transaction, or after it by card or on a hosted page.
 * ApiErrors: those of `topUp`, and 400 for a declined card or an amount that no card takes, 503 if no page could be opened.
 */
export async function beginTopUp(services: Services, tx: Tx, ctx: RequestContext, request: Request) {
  const { amount, sourceWalletId: walletId } = request.body
  if (railOf(request.body) === 'wallet') return { result: await topUp(tx, ctx, { amount, walletId }) }
  if (walletId !== undefined) throw invalid('sourceWalletId is for rail wallet')
  const payment = paymentOf(services, ctx, request)
  return {
    isFinal: ({ status, checkout }: Awaited<ReturnType<typeof answer>>) =>
      checkout !== undefined || status === 'COMPLETED',
    proceed: async () => answer(services, await cardPayments.startCardPayment(services, payment)),
  }
}

const railOf = ({ rail, returnUrl, paymentMethodId }: Body): 'wallet' | 'card' | 'checkout' =>
  rail ?? (returnUrl !== undefined ? 'checkout' : paymentMethodId !== undefined ? 'card' : 'wallet')

function paymentOf(
  services: Services,
  { principal: { accountId } }: RequestContext,
  { body, subjectId: paymentId }: Request,
): cardPayments.CardPayment {
  const amount = parseAmount(body.amount, { cents: true })
  cardPayments.requireCardPayable({ amount, currency: ASSET })
  const isHosted = railOf(body) === 'checkout'
  return {
    paymentId,
    purpose: 'ROUTING',
    reference: accountId,
    accountId,
    amount,
    currency: ASSET,
    paymentMethodId: isHosted ? null : cardPayments.chargedMethod(services, body.paymentMethodId),
    returnUrl: cardPayments.pageLink('returnUrl', body.returnUrl),
    description: 'Routing balance',
    expiresAt: after(services.clock.now(), isHosted ? DAY : HOUR),
    receipt: body.receipt,
  }
}

async function answer({ db }: Services, { payment, checkout }: cardPayments.StartedPayment) {
  const { id: paymentId, accountId, amount, journalId } = payment
  const view = await db.snapshot(q => balanceView(q, accountId))
  return {
    id: journalId ?? paymentId,
    status: journalId ? ('COMPLETED' as const) : ('PENDING' as const),
    paymentId,
    amount: formatMoney(amount),
    test: false,
    walletId: null,
    checkout,
    ...view,
  }
}
