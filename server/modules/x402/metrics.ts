import { accounts, balanceOf } from '#ledger'
import type { ModuleMetrics } from '#platform/kernel/module'
import { moneyNumber } from '#platform/kernel/money'
import { sql } from '#platform/kernel/sql'

const waiting = (now: Date) => sql<{ suspended: number; unsettled: number; unsent: number }>`
  select (select count(*)::int from x402_transfer where reason is not null and status = 'FINAL' and settled_at is null) as suspended,
    (select count(*)::int from x402_payment where status in ('VERIFIED', 'SETTLING') and updated_at <= ${now}::timestamptz - interval '2 minutes') as unsettled,
    (select count(*)::int from x402_sending where retry_at is not null and created_at <= ${now}::timestamptz - interval '15 minutes') as unsent`

export const countSuspended = () => sql<{ count: number }>`
  select count(*)::int as count from x402_transfer where reason is not null and status = 'FINAL' and settled_at is null`

/** What of the chain waits for an operator. */
export const x402Metrics: ModuleMetrics = {
  help: {
    svc_suspense_usdc: 'USDC that arrived and belongs to nobody yet (account 2070)',
    svc_x402_suspended: 'Transfers on the chain that pay nothing and wait for an operator',
    svc_x402_unsettled: 'x402 payments that were accepted and are in no block for 2 minutes',
    svc_x402_unsent: 'Transfers of USDC to an address that wait for 15 minutes: gas, custody or node',
  },
  async read(q, now) {
    const { suspended, unsettled, unsent } = await q.one(waiting(now))
    return {
      svc_suspense_usdc: moneyNumber(await balanceOf(q, accounts.suspense, 'USDC')),
      svc_x402_suspended: suspended,
      svc_x402_unsettled: unsettled,
      svc_x402_unsent: unsent,
    }
  },
}
