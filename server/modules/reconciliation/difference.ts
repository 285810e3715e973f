import { formatMoney, fromCents } from '#platform/kernel/money'
import type { Difference } from './port.ts'

/** A difference that an operator has to look at, unless `how` says otherwise. */
export const difference = (
  kind: Difference['kind'],
  subject: string,
  how: Partial<Difference> & { note: string },
): Difference => ({
  kind,
  subject,
  externalId: null,
  ourId: null,
  expected: null,
  actual: null,
  isOpen: true,
  ...how,
})

/** An amount as both sides are shown. */
export const money = (cents: number | bigint, currency: string): string =>
  `${formatMoney(fromCents(Number(cents)))} ${currency}`
