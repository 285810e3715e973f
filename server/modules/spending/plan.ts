import type { Agent } from '#agents'
import { monthOf } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import { requireWithin } from '#platform/kernel/limit'
import { SPENDING } from './errors.ts'
import type { Limits } from './sql.ts'

/** What the agent is about to do. `sell` accepts work; all others are steps towards a payment by the agent. */
export type SpendingAction = 'negotiate' | 'accept' | 'sell' | 'fund' | 'execute'

/** The other party, as far as the policy asks about it. A person has neither tier nor categories. */
export interface Counterparty {
  agentId: string | null
  accountId: string | null
  trustTier?: Agent['trustTier']
  categories?: readonly string[]
}

/** In micro-units: what the agent spent in its period and on this day. */
export interface Usage {
  inPeriod: bigint
  today: bigint
}

const TIERS = ['UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED'] as const

export const dayOf = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))

/** Begin of the budget's current period. */
export const periodOf = ({ periodStart }: Pick<Limits, 'periodStart'>, now: Date): Date =>
  periodStart ?? monthOf(now)

/** 403 where a limit of the agent does not allow the action. Returns whether its owner must approve it. Pure. */
export function checkSpending(
  limits: Limits,
  { action, amount, counterparty }: { action: SpendingAction; amount: bigint; counterparty: Counterparty },
  usage: Usage,
): { approval: boolean } {
  const spends = action !== 'sell'
  requireCounterparty(limits, counterparty, { spends })
  requireWithin(SPENDING.DEAL_LIMIT_EXCEEDED, amount, { limit: limits.perDealLimit })
  if (spends) {
    requireWithin(SPENDING.TRANSACTION_LIMIT_EXCEEDED, amount, { limit: limits.perTransactionLimit })
    requireWithin(SPENDING.DAILY_LIMIT_EXCEEDED, amount, { limit: limits.dailyLimit, used: usage.today })
    requireWithin(SPENDING.BUDGET_EXCEEDED, amount, { limit: limits.monthlyLimit, used: usage.inPeriod })
  }
  const thresholds = [limits.policyThreshold, spends ? limits.approvalThreshold : null]
  const isAbove = thresholds.some(threshold => threshold !== null && amount > threshold)
  return { approval: isAbove || (spends && limits.approvalMode === 'MANUAL') }
}

function requireCounterparty(
  { allowedCounterparties, blockedCounterparties, categories, minimumTier }: Limits,
  { agentId, accountId, trustTier, categories: offered = [] }: Counterparty,
  { spends }: { spends: boolean },
): void {
  const isIn = (ids: readonly string[]) => ids.some(id => id === agentId || id === accountId)
  if (isIn(blockedCounterparties) || (allowedCounterparties.length && !isIn(allowedCounterparties)))
    throw apiError(SPENDING.COUNTERPARTY_BLOCKED, {
      hint: 'The autonomy policy of the agent does not allow deals with this counterparty',
    })
  // A person has no tier and could never earn one.
  if (trustTier && TIERS.indexOf(trustTier) < TIERS.indexOf(minimumTier))
    throw apiError(SPENDING.COUNTERPARTY_TIER_TOO_LOW, {
      hint: `The autonomy policy of the agent requires ${minimumTier}`,
      details: { tier: trustTier, minimumTier },
    })
  const folded = offered.map(category => category.toLowerCase())
  if (spends && categories.length && !categories.some(category => folded.includes(category.toLowerCase())))
    throw apiError(SPENDING.CATEGORY_NOT_ALLOWED, {
      hint: `The autonomy policy of the agent allows ${categories.join(', ')}`,
      details: { categories },
    })
}
