import type { ModuleMetrics } from '#platform/kernel/module'
import { moneyNumber } from '#platform/kernel/money'
import { figures } from './payout/sql.ts'

/** What of the payouts waits for an operator or for the rail. */
export const payoutMetrics: ModuleMetrics = {
  help: {
    svc_payouts_in_review: 'Payouts that wait for the review by an admin',
    svc_payouts_unanswered: 'Payouts that were sent more than 15 minutes ago without an answer',
    svc_payouts_in_progress: 'Dollars and USDC that have left wallets for payouts and have not arrived',
  },
  async read(q, now) {
    const { review, unanswered, inTransit } = await q.one(figures(now))
    return {
      svc_payouts_in_review: review,
      svc_payouts_unanswered: unanswered,
      svc_payouts_in_progress: moneyNumber(inTransit),
    }
  },
}
