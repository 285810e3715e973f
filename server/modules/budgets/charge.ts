import { monthOf } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { requireWithin } from '#platform/kernel/limit'
import type { RequestContext } from '#platform/http/principal'
import { sql } from '#platform/kernel/sql'
import { BUDGETS } from './errors.ts'
import { insertSpend, lockPolicy, usageOf } from './sql.ts'

/** The owner of the wallet that pays: only an organization has budgets. */
interface Payer {
  ownerType: string
  ownerId: string
}

interface Payment {
  /** The id of what was paid, for what comes back of it (`updateReturned`). */
  reference: string
  /** In micro-units. */
  amount: bigint
}

/**
 * Counts a payment of the caller from a wallet of an organization: 403 if its policy, its budget or the budget of the member
 * does not allow it. The policy stays locked until the transaction ends, which moves the money: parallel payments cannot
 * exceed a budget together. Call it with the balances locked, so that all payments take their locks in one order.
 */
export async function chargeBudget(
  tx: Tx,
  { principal: { accountId } }: RequestContext,
  { ownerType, ownerId: organizationId }: Payer,
  { reference, amount }: Payment,
): Promise<void> {
  if (ownerType !== 'ORGANIZATION') return
  const policy = await tx.one(lockPolicy(organizationId))
  // By a statement of its own after the lock, so that it sees what the last holder of the lock paid.
  const usage = await tx.one(usageOf({ organizationId, accountId, since: monthOf(tx.now) }))
  const lower = 'lower the amount, or ask an OWNER to change'
  requireWithin(BUDGETS.ORGANIZATION_PAYMENT_TOO_LARGE, amount, {
    limit: policy.perTransactionLimit,
    advice: `${lower} the policy`,
  })
  requireWithin(BUDGETS.ORGANIZATION_BUDGET_EXCEEDED, amount, {
    limit: policy.monthlyLimit,
    used: usage.total,
    advice: `${lower} the policy`,
  })
  requireWithin(BUDGETS.MEMBER_BUDGET_EXCEEDED, amount, {
    limit: usage.memberLimit,
    used: usage.own,
    advice: `${lower} your budget`,
  })
  tx.write(sql`${insertSpend({ reference, organizationId, accountId, amount, at: tx.now })}`)
}
