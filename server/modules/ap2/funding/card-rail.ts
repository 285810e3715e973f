import { cardPayments } from '#payments'
import { isAwaited } from './awaited.ts'
import type { PaymentMethod, Rail } from './rails.ts'

/** The product name of a processor is short. */
const DESCRIPTION_MAX = 200

/** Card: charged at once with a payment method, paid on a hosted page without one. */
export const cardRail: Rail = {
  requirePayable(payment) {
    linksOf(payment)
    cardPayments.requireCardPayable(payment)
  },
  async start(services, { escrow, negotiation, sellerAgent }, method) {
    const { accountId, paymentMethodId, returnUrl, receipt } = method
    const order = {
      paymentId: escrow.id,
      purpose: 'ESCROW' as const,
      reference: escrow.id,
      accountId,
      amount: escrow.amount,
      currency: escrow.currency,
      // An address to return to asks for a page to return from.
      paymentMethodId: returnUrl === undefined ? (paymentMethodId ?? null) : null,
      ...linksOf(method, negotiation.id),
      description: negotiation.requestedService.slice(0, DESCRIPTION_MAX),
      seller: sellerAgent?.name,
      expiresAt: escrow.fundBy ?? services.clock.now(),
      receipt,
    }
    const started = await cardPayments.startAwaitedCardPayment(services, order, tx =>
      isAwaited(tx, escrow.id),
    )
    return { checkout: started?.checkout }
  },
  refresh: cardPayments.refreshPayment,
  abandon: cardPayments.abandonPayment,
}

/** A hire has no id before the request, so an address to return to names it by a placeholder. */
const NEGOTIATION = '{NEGOTIATION_ID}'

const linksOf = ({ returnUrl, cancelUrl }: PaymentMethod, negotiationId = '') => ({
  returnUrl: cardPayments.pageLink('returnUrl', returnUrl?.replaceAll(NEGOTIATION, negotiationId)),
  cancelUrl: cardPayments.pageLink('cancelUrl', cancelUrl?.replaceAll(NEGOTIATION, negotiationId)),
})
