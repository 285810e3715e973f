import { accounts, balanceOf } from '#ledger'
import type { ModuleMetrics } from '#platform/kernel/module'
import { moneyNumber } from '#platform/kernel/money'
import { waitingForOperator } from './sql.ts'

/** What of the card payments waits for an operator. */
export const paymentMetrics: ModuleMetrics = {
  help: {
    svc_suspense_usd: 'Dollars that arrived and belong to nobody yet (account 2070)',
    svc_payments_suspended: 'Card payments that fit none of ours and wait for an operator',
    svc_payments_unanswered: 'Payments whose outcome the processor has not reported for 15 minutes',
    svc_payments_unposted:
      'Reports of the processor that moved money and could not be posted: mismatches, disputes, refunds',
  },
  async read(q, now) {
    const { suspended, unanswered, unposted } = await q.one(waitingForOperator(now))
    return {
      svc_suspense_usd: moneyNumber(await balanceOf(q, accounts.suspense, 'USD')),
      svc_payments_suspended: suspended,
      svc_payments_unanswered: unanswered,
      svc_payments_unposted: unposted,
    }
  },
}
