import type { Tx } from '#platform/kernel/db'
import type { Asset } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { FundedDeal } from '../deal/deal.ts'
import type { Rail as RailName } from '../deal/rows.ts'
import { cardRail } from './card-rail.ts'
import { x402Rail } from './x402-rail.ts'

/** What the buyer says about how to pay. */
export interface PaymentMethod {
  /** The account that pays. */
  accountId: string
  paymentMethodId?: string
  returnUrl?: string
  cancelUrl?: string
  receipt?: boolean
}

/** What the buyer needs to make the payment, where it is not made yet. */
export interface StartedFunding {
  checkout?: { id: string; url: string }
}

/**
 * A way in which funds come from outside. The payment of a reserved escrow has the id of the escrow; its outcome comes
 * through the ports of `payments`: the destination ESCROW, and the event `payment.failed`.
 */
export interface Rail {
  /** Refuses an amount, an asset or a method that the rail does not take: before anything is reserved. */
  requirePayable(payment: PaymentMethod & { amount: bigint; currency: Asset }): void
  /**
   * Starts the payment of a reserved escrow, outside any transaction; nothing if the escrow awaits none any more. Repeated,
   * it continues the same payment.
   */
  start(services: Services, deal: FundedDeal, method: PaymentMethod): Promise<StartedFunding>
  /** Asks the other side what became of the payment, and books or ends it. Without an answer nothing changes. */
  refresh(services: Services, escrowId: string): Promise<void>
  /**
   * Ends a payment that nobody shall make any more, under the lock of its deal. True also if none was started: `start`, which
   * takes the same lock, finds the escrow canceled. False for one that is under way: it counts still.
   */
  abandon(tx: Tx, escrowId: string): Promise<boolean>
}

const RAILS: Record<Exclude<RailName, 'wallet'>, Rail> = { card: cardRail, x402: x402Rail }

export const railOf = (name: Exclude<RailName, 'wallet'>): Rail => RAILS[name]
