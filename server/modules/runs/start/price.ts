import type { Agent } from '#agents'
import { invalid } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'

/**
 * The price of a run in micro-units: that of the listing, and for `custom` pricing the budget. A listed price of 0 is free.
 * ApiError 400 where the budget is missing or too small.
 */
export function priceOfRun(
  { pricingModel, price }: Pick<Agent, 'pricingModel' | 'price'>,
  budget: number | string | undefined,
): bigint {
  const offered = budget === undefined ? null : parseAmount(budget, { field: 'budget' })
  if (pricingModel === 'custom') {
    if (offered === null) throw invalid('budget is required: the agent has no fixed price')
    return offered
  }
  if (offered !== null && offered < price)
    throw invalid(`budget is below the price of the agent: ${formatMoney(price)}`)
  return price
}
