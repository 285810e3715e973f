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

/** The first row of each key, so that two long lists are compared without reading one for each row of the other. */
export const firstBy = <Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): ReadonlyMap<Key, Row> =>
  new Map(rows.toReversed().map(row => [keyOf(row), row]))

/** An amount as both sides are shown. */
export const money = (cents: number | bigint, currency: string): string =>
  `${formatMoney(fromCents(Number(cents)))} ${currency}`
