import { $api } from '../../../api/client.ts'
import type { WalletTotals } from '../../../api/schema.d.ts'
import { timeZone } from '../../../parts/format.ts'
import { decimalOf, microOf } from '../../../parts/micro.ts'
import type { Range } from '../search.ts'

/** Postings by which a seller receives what buyers paid. What passes through the wallet into an escrow is no earning. */
const EARNED = ['ap2.release', 'ap2.split', 'x402_payment']
const DAY_MS = 86_400_000

type Total = Pick<WalletTotals['periods'][number], 'type' | 'direction' | 'amount' | 'currency' | 'count'>

const unitOf = (range: Range): 'day' | 'week' => (range === '30' ? 'day' : 'week')
const beginOf = (range: Range, now: Date) =>
  startOf(new Date(now.getTime() - Number(range) * DAY_MS), unitOf(range))

/** What the agents of the account, or one of them, received for their work in the days of the range. */
export function useEarned(agentId: string | undefined, range: Range) {
  // The same moment all day, so that the answer is read once.
  const from = beginOf(range, new Date()).toISOString()
  const query = { ownerType: 'AGENT' as const, ownerId: agentId, unit: unitOf(range), from, timeZone }
  return $api.useQuery('get', '/wallets/totals', { params: { query } })
}

export interface Sum {
  /** Payments. */
  count: number
  /** By currency; dollars if there is nothing. */
  amounts: ReadonlyMap<string, string>
}

export function earnedOf(totals: readonly Total[]): Sum {
  const amounts = new Map<string, bigint>()
  let count = 0
  for (const { type, direction, amount, currency, count: payments } of totals)
    if (EARNED.includes(type)) {
      const sign = direction === 'IN' ? 1 : -1
      count += sign * payments
      amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(sign) * microOf(amount))
    }
  if (amounts.size === 0) amounts.set('USD', 0n)
  const sorted = [...amounts].toSorted(([a], [b]) => a.localeCompare(b))
  return { count, amounts: new Map(sorted.map(([currency, sum]) => [currency, decimalOf(sum)])) }
}

/** The first days of the periods of a range, without gaps, with what was earned in each. */
export function periodsOf(
  totals: WalletTotals['periods'],
  range: Range,
  now = new Date(),
): { start: Date; sum: Sum }[] {
  const periods = []
  const days = range === '30' ? 1 : 7
  for (const start = beginOf(range, now); start <= now; start.setDate(start.getDate() + days)) {
    const name = nameOfDay(start)
    periods.push({
      start: new Date(start),
      sum: earnedOf(totals.filter(({ period }) => period === name)),
    })
  }
  return periods
}

/** As the API names a day: `2026-05-01`. */
const nameOfDay = (day: Date): string =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map(part => String(part).padStart(2, '0')).join('-')

/** Midnight of the day, or of the Monday before it, in the time zone of the person. */
function startOf(moment: Date, unit: 'day' | 'week'): Date {
  const start = new Date(moment.getFullYear(), moment.getMonth(), moment.getDate())
  if (unit === 'week') start.setDate(start.getDate() - ((start.getDay() + 6) % 7))
  return start
}
