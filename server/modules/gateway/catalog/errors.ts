import { errorTable } from '#platform/kernel/errors'

export const PRICES = errorTable({
  PRICE_SOURCE_UNAVAILABLE: [502, 'Price source unavailable'],
})
