import { apiError, type ErrorRow } from './errors.ts'
import { formatMoney } from './money.ts'

/** What a limit still allows; null without a limit. Amounts in micro-units, here and below. */
export const remainingOf = (limit: bigint | null, used: bigint): bigint | null =>
  limit === null ? null : limit > used ? limit - used : 0n

interface Limit {
  /** Null allows all. */
  limit: bigint | null
  used?: bigint
  /** What the caller can do about it. */
  advice?: string
}

/** Throws `row` with what is left, if `amount` exceeds it. */
export function requireWithin(row: ErrorRow, amount: bigint, { limit, used = 0n, advice }: Limit): void {
  const remaining = remainingOf(limit, used)
  if (limit === null || remaining === null || amount <= remaining) return
  const left = `${formatMoney(remaining)} of ${formatMoney(limit)} is left, and ${formatMoney(amount)} is needed`
  throw apiError(row, {
    hint: advice === undefined ? left : `${left}: ${advice}`,
    details: { limit: formatMoney(limit), remaining: formatMoney(remaining) },
  })
}
