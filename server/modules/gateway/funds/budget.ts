import { hash } from 'node:crypto'
import { DAY } from '#platform/kernel/clock'
import { apiError, type ApiError } from '#platform/kernel/errors'
import { formatMoney } from '#platform/kernel/money'
import type { RoutingKey } from '../core/key.ts'
import { FUNDS } from './errors.ts'

export type BudgetPeriod = 'daily' | 'weekly' | 'monthly' | 'end_user_daily'

/** What a key, or one end user of it, may spend in one period of UTC. */
export interface Budget {
  id: string
  accountId: string
  keyId: string
  period: BudgetPeriod
  /** Micro-USD with fee. */
  limit: bigint
  endsAt: Date
}

const NONE: readonly Budget[] = []
/** The first Monday of 1970, in days. */
const MONDAY = 4

/** The budgets that a request of this key counts in; `now` is business time. */
export function budgetsOf(
  key: Pick<RoutingKey, 'id' | 'accountId' | 'limits'>,
  endUser: string | null,
  now: Date,
): readonly Budget[] {
  const { dailyUsd, weeklyUsd, monthlyUsd, endUserDailyUsd } = key.limits
  const perUser = endUser === null ? null : endUserDailyUsd
  if (dailyUsd === null && weeklyUsd === null && monthlyUsd === null && perUser === null) return NONE
  const day = Math.floor(now.getTime() / DAY)
  const week = Math.floor((day - MONDAY) / 7)
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth()
  const endOfDay = new Date((day + 1) * DAY)
  const budget = (period: BudgetPeriod, limit: bigint | null, name: string, endsAt: Date): Budget[] =>
    limit === null
      ? []
      : [{ id: `${key.id}/${name}`, accountId: key.accountId, keyId: key.id, period, limit, endsAt }]
  return [
    ...budget('daily', dailyUsd, `day/${day}`, endOfDay),
    ...budget('weekly', weeklyUsd, `week/${week}`, new Date((MONDAY + (week + 1) * 7) * DAY)),
    ...budget(
      'monthly',
      monthlyUsd,
      `month/${month}`,
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
    ),
    // A hash, because callers put names and addresses into `user`.
    ...budget('end_user_daily', perUser, `user/${day}/${hash('sha256', endUser ?? '')}`, endOfDay),
  ]
}

const NAMES: Readonly<Record<BudgetPeriod, string>> = {
  daily: 'daily budget of the routing key',
  weekly: 'weekly budget of the routing key',
  monthly: 'monthly budget of the routing key',
  end_user_daily: 'daily budget of this end user',
}

/** 402: SDKs repeat a 429, and no repetition helps before the reset. */
export const budgetExceeded = ({ period, limit, endsAt }: Budget, needed: bigint): ApiError =>
  apiError(FUNDS.ROUTING_BUDGET_EXCEEDED, {
    hint: `What is left of the ${NAMES[period]} (${formatMoney(limit)} USD) does not cover ${costOf(needed)}: lower max_tokens, or wait for its reset at ${endsAt.toISOString()}`,
    details: { budget: period, limit: formatMoney(limit), resetsAt: endsAt.toISOString() },
    headers: { 'x-should-retry': 'false' },
  })

/** The longest answer is reserved, so that a balance may be enough for most requests and not for one. */
const costOf = (needed: bigint): string => `what the request may cost (${formatMoney(needed)} USD with fee)`

export const balanceInsufficient = (test: boolean, needed: bigint): ApiError =>
  apiError(FUNDS.ROUTING_BALANCE_INSUFFICIENT, {
    hint: `The routing balance${test ? ' in test credit' : ''} does not cover ${costOf(needed)}: top up with POST /v1/wallet/topup, or lower max_tokens`,
    headers: { 'x-should-retry': 'false' },
  })

/** Its hint advises against a top-up, which could not be used either. */
export const balanceFrozen = (): ApiError =>
  apiError(FUNDS.ROUTING_BALANCE_INSUFFICIENT, {
    hint: 'The routing balance is frozen until the bank has decided about a disputed top-up: a further one would be frozen too',
    headers: { 'x-should-retry': 'false' },
  })
