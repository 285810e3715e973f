import { errorTable, apiError } from './errors.ts'

/** Money is a bigint of micro-units (1e-6) of one asset. Nothing in the service holds money in a float. */
export type Asset = 'USD' | 'USDC'
export const ASSETS: readonly Asset[] = ['USD', 'USDC']
export const MICRO = 1_000_000n
/** No single amount is larger (api.md): 10^9 units. */
export const MAX_AMOUNT = 1_000_000_000n * MICRO

/** One move of a journal: `amount` (> 0) leaves `debit` and arrives at `credit`. Accounts are ledger codes such as `2010:<wallet>`. */
export interface Leg {
  debit: string
  credit: string
  amount: bigint
  asset: Asset
}

const MONEY = errorTable({
  AMOUNT_INVALID: [400, 'Invalid amount'],
})

const DECIMAL = /^(\d{1,16})(?:\.(\d{1,6}))?$/

/**
 * Micro-units of an amount as JSON gives it: a number or a decimal string with at most 6 decimals.
 * ApiError 400 `Invalid amount` for anything else, for zero (unless `zero`) and above 10^9.
 */
export function parseAmount(
  input: number | string,
  options: { field?: string; zero?: boolean; cents?: boolean } = {},
): bigint {
  const field = options.field ?? 'amount'
  const refuse = (hint: string) =>
    apiError(MONEY.AMOUNT_INVALID, { hint: `${field} ${hint}`, details: { field } })
  const match = DECIMAL.exec(typeof input === 'number' ? plain(input) : input)
  if (!match) throw refuse('must be a positive number or decimal string with at most 6 decimals')
  const micro = BigInt(match[1] ?? '0') * MICRO + BigInt((match[2] ?? '').padEnd(6, '0'))
  if (micro === 0n && !options.zero) throw refuse('must be greater than 0')
  if (micro > MAX_AMOUNT) throw refuse('must not be above 1000000000')
  if (options.cents && micro % 10_000n !== 0n) throw refuse('must be whole cents')
  return micro
}

// 1e-7 and 1e21 keep their exponent and so match no decimal: refused, never rounded.
const plain = (value: number): string => (Number.isFinite(value) ? String(value) : 'not finite')

/** A decimal string with 2 to 6 decimals: 80000000n is `80.00`. */
export function formatMoney(micro: bigint): string {
  const sign = micro < 0n ? '-' : ''
  const size = micro < 0n ? -micro : micro
  const decimals = (size % MICRO)
    .toString()
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${sign}${size / MICRO}.${decimals}`
}

/** A JSON number, where the interface says number. Exact: 10^15 micro-units fit a double's 53 bits, and a division is rounded once. */
export const moneyNumber = (micro: bigint): number => Number(micro) / 1e6

/** Whole cents, for the card and payout edges. Money below a cent cannot get there. */
export function toCents(micro: bigint): number {
  if (micro % 10_000n !== 0n) throw new Error(`not whole cents: ${micro}`)
  return Number(micro / 10_000n)
}
export const fromCents = (cents: number): bigint => BigInt(cents) * 10_000n

export type Rounding = 'floor' | 'ceil'

/** The one place that multiplies money by a rate: `bps` basis points (1/10000) of `micro`. */
export function share(micro: bigint, bps: number, rounding: Rounding): bigint {
  const product = micro * BigInt(bps)
  const floor = product / 10_000n
  return rounding === 'ceil' && product % 10_000n !== 0n ? floor + 1n : floor
}
