import { apiError, invalid } from '#platform/kernel/errors'
import { formatMoney, fromCents, parseAmount } from '#platform/kernel/money'
import { PAYOUTS } from '../errors.ts'

interface Amount {
  amount?: number | string
  amountCents?: number
}

/** Micro-units of an amount that is given as such or in cents. ApiError 400 for both or none, below `minimum`, or invalid. */
export function amountOf(
  { amount, amountCents }: Amount,
  { minimum = 0n, cents = false }: { minimum?: bigint; cents?: boolean } = {},
): bigint {
  if ((amount === undefined) === (amountCents === undefined))
    throw invalid('send either amount or amountCents')
  const micro = amount === undefined ? fromCents(amountCents ?? 0) : parseAmount(amount, { cents })
  if (micro < minimum)
    throw apiError(PAYOUTS.PAYOUT_AMOUNT, { hint: `A payout is at least ${formatMoney(minimum)}` })
  return micro
}
