import type { RoutingKeyPrincipal } from '#platform/http/principal'
import { Type, type Static } from '#platform/http/type'
import { Moment, Money, named, Nullable } from '#platform/http/schema'
import { after, DAY } from '#platform/kernel/clock'
import type { Snapshot, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { formatMoney } from '#platform/kernel/money'
import { budgetsOf, countCostBefore } from '../funds/index.ts'
import { KEYS } from './errors.ts'
import { RoutingKeyRecord, routingKeyRecord } from './schema.ts'
import { keyOf, usageOfKey, type KeyRow, type KeySettings } from './sql.ts'

const Period = named(
  'RoutingKeyPeriod',
  Type.Object({
    usedUsd: { ...Money, description: 'Used with fee, in USD' },
    limitUsd: Nullable({ ...Money, description: 'Limit in USD; null for none' }),
    remainingUsd: Nullable({ ...Money, description: 'What is left in USD; null without a limit' }),
    resetsAt: { ...Moment, description: 'When the period ends' },
  }),
)

export const KeyUsage = named(
  'RoutingKeyUsage',
  Type.Object({
    ...RoutingKeyRecord.properties,
    usage: Type.Object(
      {
        requestsToday: Type.Integer({ minimum: 0, description: 'Requests on this day (UTC)' }),
        day: { ...Period, description: 'This day (UTC)' },
        week: { ...Period, description: 'This week, from Monday (UTC)' },
        month: { ...Period, description: 'This calendar month (UTC)' },
      },
      { description: 'Use of the key' },
    ),
  }),
)

/** A routing key with what it has used in the day, the week (from Monday) and the month of UTC. */
export async function readKeyUsage(
  q: Snapshot,
  { accountId, keyId }: RoutingKeyPrincipal,
): Promise<Static<typeof KeyUsage>> {
  const key = await q.maybe(keyOf(accountId, keyId))
  if (!key) throw apiError(KEYS.ROUTING_KEY_NOT_FOUND)
  const { begins, ends } = periodsOf(q.now)
  const used = await q.one(usageOfKey(key, begins))
  return {
    ...routingKeyRecord(key, q.now),
    usage: {
      requestsToday: Number(used.requests),
      day: periodView(used.day, key.dailyUsd, ends.day),
      week: periodView(used.week, key.weeklyUsd, ends.week),
      month: periodView(used.month, key.monthlyUsd, ends.month),
    },
  }
}

function periodView(used: bigint, limit: bigint | null, endsAt: Date): Static<typeof Period> {
  const remaining = limit === null ? null : limit > used ? limit - used : 0n
  return {
    usedUsd: formatMoney(used),
    limitUsd: limit === null ? null : formatMoney(limit),
    remainingUsd: remaining === null ? null : formatMoney(remaining),
    resetsAt: endsAt.toISOString(),
  }
}

/** A limit that a key gets within a period counts what the key has cost since the period began. */
export async function countCostOf(tx: Tx, before: KeyRow, { ...limits }: KeySettings): Promise<void> {
  for (const name of ['dailyUsd', 'weeklyUsd', 'monthlyUsd'] as const)
    if (limits[name] === before[name]) limits[name] = null
  const { day: daily, week: weekly, month: monthly } = periodsOf(tx.now).begins
  const begins = { daily, weekly, monthly, end_user_daily: daily }
  const budgets = budgetsOf({ id: before.id, accountId: before.accountId, limits }, null, tx.now)
  if (!budgets.length) return
  await tx.run(countCostBefore(budgets.map(budget => ({ ...budget, beginsAt: begins[budget.period] }))))
}

const DAYS_OF_WEEK = 7

/** Begin and end of the day, the week and the month of a moment. */
export function periodsOf(now: Date) {
  const month = now.getUTCMonth()
  const dateOf = (month: number, day: number) => new Date(Date.UTC(now.getUTCFullYear(), month, day))
  const day = dateOf(month, now.getUTCDate())
  const sinceMonday = (now.getUTCDay() + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK
  const week = after(day, -sinceMonday * DAY)
  return {
    begins: { day, week, month: dateOf(month, 1) },
    ends: { day: after(day, DAY), week: after(week, DAYS_OF_WEEK * DAY), month: dateOf(month + 1, 1) },
  }
}
