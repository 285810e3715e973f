import { after, DAY, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Leg } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { chainReport } from './chain-rail.ts'
import type { PayoutStatus } from './payout-machine.ts'
import { processorReport } from './processor-rail.ts'
import type { Payout, Rail } from './sql.ts'

/** What a rail says of a payout. */
export interface RailReport {
  state: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled'
  failure: { code: string; message: string } | null
  transferId: string | null
  bankPayoutId: string | null
  /** The ledger account that a paid payout leaves from, and the leg of what its transaction cost. */
  source: string
  gas: Leg | null
}

/**
 * Sends a payout that no answer is known of, or asks what became of it. Asked again with the same id, nothing happens twice.
 * The processor rail throws NoAnswer.
 */
export const reportOf = (services: Services, payout: Payout): Promise<RailReport> =>
  payout.rail === 'chain' ? chainReport(services, payout) : processorReport(services, payout)

/** How often a payout that has arrived is asked about: a bank returns one within days, and its notification may be lost. */
const WATCHES = 4

/** When a payout is asked about next: its rail reports within seconds, or hours and days. Null if nothing can change any more. */
export function nextAsk(
  { rail, status, asks }: { rail: Rail; status: PayoutStatus; asks: number },
  now: Date,
): Date | null {
  if (status === 'PAID')
    return rail === 'processor' && asks < WATCHES ? after(now, DAY * 2 ** Math.max(0, asks - 1)) : null
  if (rail === 'chain') return after(now, Math.min(SECOND * 2 ** asks, 6 * HOUR))
  if (status === 'PENDING') return after(now, Math.min(MINUTE * 2 ** asks, 4 * HOUR))
  return after(now, Math.min(HOUR * 2 ** asks, DAY))
}
