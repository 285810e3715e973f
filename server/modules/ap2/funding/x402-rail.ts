import { PAYMENTS } from '#payments'
import { abandonX402Payment, readChainIfAny, startX402Payment } from '#x402'
import { apiError } from '#platform/kernel/errors'
import { isAwaited } from './awaited.ts'
import type { Rail } from './rails.ts'

/** USDC on the chain: the buyer pays at an x402 resource, or transfers the amount to an address of this payment alone. */
export const x402Rail: Rail = {
  requirePayable({ currency }) {
    if (currency !== 'USDC')
      throw apiError(PAYMENTS.RAIL_UNAVAILABLE, {
        hint: `x402 pays in USDC, this deal is in ${currency}: negotiate it in USDC, or pay by card or from a wallet`,
      })
  },
  async start(services, { escrow, negotiation }, { accountId }) {
    const order = {
      id: escrow.id,
      purpose: 'ESCROW' as const,
      reference: escrow.id,
      accountId,
      amount: escrow.amount,
      description: negotiation.requestedService,
      ...(escrow.fundBy ? { expiresAt: escrow.fundBy } : {}),
    }
    const started = await services.db.transaction(async tx =>
      (await isAwaited(tx, escrow.id)) ? startX402Payment(tx, services, order) : null,
    )
    return started ? { checkout: { id: started.paymentId, url: started.payUrl } } : {}
  },
  refresh: readChainIfAny,
  abandon: abandonX402Payment,
}
