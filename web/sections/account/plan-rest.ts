import type { Subscription } from '../../api/schema.d.ts'
import { decimalOf, microOf } from '../../parts/micro.ts'

type Invoice = Subscription['invoices'][number]
const DAY = 86_400_000

/** What a cancellation at once returns: the part of the paid month for the days that have not begun. */
export function restOf(invoices: readonly Invoice[]): string {
  const now = Date.now()
  const paid = invoices.find(
    ({ status, periodEnd }) => status === 'PAID' && periodEnd !== null && Date.parse(periodEnd) > now,
  )
  if (!paid?.periodStart || !paid.periodEnd) return '0'
  const start = Date.parse(paid.periodStart)
  const days = (Date.parse(paid.periodEnd) - start) / DAY
  const begun = Math.min(Math.max(Math.floor((now - start) / DAY) + 1, 0), days)
  const micro = microOf(paid.amount)
  return decimalOf(micro - (micro * BigInt(begun)) / BigInt(Math.round(days)))
}
