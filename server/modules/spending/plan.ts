import type { Agent } from '#agents'
import { apiError } from '#platform/kernel/errors'
import { formatMoney } from '#platform/kernel/money'
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

/** First moment of the month of `now`, in UTC. */
export const monthOf = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
/** First moment of the month after that of `now`. */
export const nextMonthOf = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
export const dayOf = (now: Date): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))

/** Begin of the budget's current period. */
export const periodOf = ({ periodStart }: Pick<Limits, 'periodStart'>, now: Date): Date =>
  periodStart ?? monthOf(now)

/** What the budget still allows; null without a monthly limit. */
export const remainingOf = ({ monthlyLimit }: Pick<Limits, 'monthlyLimit'>, { inPeriod }: Usage) =>
  monthlyLimit === null ? null : monthlyLimit > inPeriod ? monthlyLimit - inPeriod : 0n

/** 403 where a limit of the agent does not allow the action. Returns whether its owner must approve it. Pure. */
export function checkSpending(
  limits: Limits,
  { action, amount, counterparty }: { action: SpendingAction; amount: bigint; counterparty: Counterparty },
  usage: Usage,
): { approval: boolean } {
  const spends = action !== 'sell'
  requireCounterparty(limits, counterparty, { spends })
  requireWithin(SPENDING.DEAL_LIMIT_EXCEEDED, amount, limits.perDealLimit)
  if (spends) {
    requireWithin(SPENDING.TRANSACTION_LIMIT_EXCEEDED, amount, limits.perTransactionLimit)
    requireWithin(SPENDING.DAILY_LIMIT_EXCEEDED, amount, limits.dailyLimit, usage.today)
    requireWithin(SPENDING.BUDGET_EXCEEDED, amount, limits.monthlyLimit, usage.inPeriod)
  }
  const thresholds = [limits.policyThreshold, spends ? limits.approvalThreshold : null]
  const isAbove = thresholds.some(threshold => threshold !== null && amount > threshold)
  return { approval: isAbove || (spends && limits.approvalMode === 'MANUAL') }
}

/** 403 with what is left, if `amount` exceeds it. All amounts in micro-units; a limit of null allows all. */
export function requireWithin(
  row: (typeof SPENDING)[keyof typeof SPENDING],
  amount: bigint,
  limit: bigint | null,
  used = 0n,
): void {
  if (limit === null || amount + used <= limit) return
  const remaining = limit > used ? limit - used : 0n
  throw apiError(row, {
    hint: `${formatMoney(remaining)} of ${formatMoney(limit)} is left, and ${formatMoney(amount)} is needed`,
    details: { limit: formatMoney(limit), remaining: formatMoney(remaining) },
  })
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
