import { difference, firstBy, money, type Difference } from '#reconciliation'
import type { Chargeback } from '../chargebacks/sql.ts'
import type { Movement } from '../processors/statement-port.ts'

export interface Disputes {
  /** Movements of disputes of the period. */
  movements: readonly Movement[]
  around: readonly Movement[]
  chargebacks: readonly Chargeback[]
  /** Those that were opened in the period. */
  opened: readonly Chargeback[]
}

/** Disputes on which the statement of the processor and the books differ. */
export function compareDisputes({ movements, around, chargebacks, opened }: Disputes): Difference[] {
  const listed = new Set(around.filter(({ kind }) => kind === 'dispute').map(({ sourceId }) => sourceId))
  const missing = opened.filter(({ disputeId }) => !listed.has(disputeId))
  const known = firstBy<Chargeback, string | null>(chargebacks, ({ disputeId }) => disputeId)
  return [
    ...movements.flatMap(movement => disputeDifferences(movement, known.get(movement.sourceId))),
    ...missing.map(({ disputeId: externalId, id: ourId, cents }) =>
      difference('MISSING_AT_PROCESSOR', 'dispute', {
        externalId,
        ourId,
        actual: money(cents, 'USD'),
        note: 'The processor does not list it: ask the processor',
      }),
    ),
  ]
}

function disputeDifferences(
  { kind, sourceId: externalId, cents, currency }: Movement,
  row: Chargeback | undefined,
): Difference[] {
  const isWon = kind === 'dispute_reversal'
  const size = isWon ? cents : -cents
  const about = { externalId, ourId: row?.id ?? null, expected: money(size, currency) }
  if (!row)
    return [
      difference('MISSING_HERE', 'dispute', {
        ...about,
        note: 'It was not booked: its notification is missing, or its payment is unknown',
      }),
    ]
  if (Number(row.cents) !== size)
    return [
      difference('AMOUNT_DIFFERS', 'dispute', {
        ...about,
        actual: money(row.cents, currency),
        note: 'The books are not what the processor took: correct them with the processor',
      }),
    ]
  return isWon && row.status !== 'WON'
    ? [
        difference('STATE_DIFFERS', 'dispute', {
          ...about,
          expected: 'WON',
          actual: row.status,
          note: 'The processor returned the money: the notification is missing',
        }),
      ]
    : []
}
