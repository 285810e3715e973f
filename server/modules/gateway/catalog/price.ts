import { HOUR, after } from '#platform/kernel/clock'
import { share } from '#platform/kernel/money'
import type { Price, Rates, TokenUsage } from '../core/model.ts'

/** The routing fee in basis points of the cost (interface, "Limits"). */
export const ROUTING_FEE_BPS = 800

/** No request runs longer: the peak hours of its start and of this much later decide its worst case. */
const LONGEST_REQUEST_MS = HOUR

function isPeak({ days, hours }: NonNullable<Price['peak']>, at: Date): boolean {
  const hour = at.getUTCHours()
  return days.includes(at.getUTCDay()) && hours.some(([from, to]) => hour >= from && hour < to)
}

/**
 * The rates of a request with a prompt of so many tokens that begins at a moment of business time. A length tier prices the
 * whole request; peak hours apply below the length tiers.
 */
export function ratesAt(price: Price, usageInputTokens: number, at: Date): Rates {
  for (const { above, rates } of price.lengthTiers) if (usageInputTokens > above) return rates
  return price.peak && isPeak(price.peak, at) ? price.peak.rates : price.base
}

/** What a provider charges for a request that began at a moment: nano-USD without fee, an integer. */
export function costNano(price: Price, usage: TokenUsage, at: Date): number {
  const rates = ratesAt(price, usage.input, at)
  // A provider that reports more cached tokens than tokens of the prompt must not make the uncached ones negative.
  const cacheRead = Math.min(usage.cacheRead, usage.input)
  const cacheWrite = Math.min(usage.cacheWrite, usage.input - cacheRead)
  return (
    (usage.input - cacheRead - cacheWrite) * rates.input +
    cacheRead * rates.cacheRead +
    cacheWrite * rates.cacheWrite +
    usage.output * rates.output
  )
}

export interface Bounds {
  /** Upper bound of the tokens of the prompt. */
  promptTokens: number
  /** Limit of each answer. */
  maxTokens: number
  /** Answers. */
  n: number
}

/**
 * The highest cost that a request within the bounds can have if it begins at this moment or up to an hour later: nano-USD
 * without fee.
 */
export function worstCaseNano(price: Price, { promptTokens, maxTokens, n }: Bounds, at: Date): number {
  let input = 0
  let output = 0
  for (const rates of reachableRates(price, promptTokens, at)) {
    input = Math.max(input, rates.input, rates.cacheWrite, rates.cacheRead)
    output = Math.max(output, rates.output)
  }
  return promptTokens * input + maxTokens * n * output
}

/** The prompt may turn out shorter than its bound, and the hour may change before the request begins at the provider. */
function* reachableRates(price: Price, promptTokens: number, at: Date): Generator<Rates> {
  yield price.base
  for (const { above, rates } of price.lengthTiers) if (promptTokens > above) yield rates
  const { peak } = price
  if (peak && (isPeak(peak, at) || isPeak(peak, after(at, LONGEST_REQUEST_MS)))) yield peak.rates
}

/** Nano-USD in micro-USD, rounded up: what is posted. */
export function microOf(nano: number): bigint {
  return BigInt(Math.ceil(nano / 1000))
}

/** Fee of a cost, both in micro-USD. */
export const feeOf = (cost: bigint): bigint => share(cost, ROUTING_FEE_BPS, 'floor')

/** Cost with fee of so many nano-USD, in micro-USD. */
export function chargeOf(nano: number): bigint {
  const cost = microOf(nano)
  return cost + feeOf(cost)
}
