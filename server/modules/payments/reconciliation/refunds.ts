import { difference, money, type Difference } from '#reconciliation'
import { toCents } from '#platform/kernel/money'
import type { Movement } from '../processors/statement-port.ts'
import type { RefundRow } from '../refunds/sql.ts'
import { Lines, unknownAmong } from './lines.ts'
import type { Statement } from './statement.ts'

export interface Refunds extends Statement {
  /** Those that the movements of the period name, and those that ended in the period. */
  refunds: readonly RefundRow[]
}

const isRefund = ({ kind }: Movement): boolean => kind === 'refund'
const named = ({ id, processorId }: RefundRow) => ({ id, externalId: processorId })

/** Refunds on which the statement of the processor and the books differ. */
export function compareRefunds({ movements, around, refunds, from, to }: Refunds): Difference[] {
  const unknown = unknownAmong(movements.filter(isRefund), refunds.map(named))
  const lines = new Lines(around.filter(isRefund))
  return [
    ...unknown.map(({ sourceId: externalId, ourId, cents, currency }) =>
      difference('MISSING_HERE', 'refund', {
        externalId,
        ourId,
        expected: money(cents, currency),
        note: 'The service did not make it: if somebody made it at the processor, correct the wallet or the escrow',
      }),
    ),
    ...refunds.flatMap(row => {
      const hasEnded = row.status !== 'PENDING' && row.updatedAt >= from && row.updatedAt < to
      return refundDifferences(row, lines.of(named(row)), hasEnded)
    }),
  ]
}

function refundDifferences(row: RefundRow, own: readonly Movement[], hasEnded: boolean): Difference[] {
  const sent = own.filter(({ cents }) => cents < 0)
  const returned = own.filter(({ cents }) => cents > 0)
  const about = { externalId: row.processorId ?? own[0]?.sourceId ?? null, ourId: row.id }
  const amount = toCents(row.amount)
  const found: Difference[] = []
  if (sent.length > 1 || returned.length > 1)
    found.push(
      difference('DUPLICATE', 'refund', {
        ...about,
        note: 'The statement lists this refund twice: ask the processor',
      }),
    )
  for (const { cents, currency } of [...sent.slice(0, 1), ...returned.slice(0, 1)])
    if (Math.abs(cents) !== amount)
      found.push(
        difference('AMOUNT_DIFFERS', 'refund', {
          ...about,
          expected: money(Math.abs(cents), currency),
          actual: money(amount, row.currency),
          note: 'The books are not what the processor moved: correct them with the processor',
        }),
      )
  return [
    ...found,
    ...stateDifferences(row, { about, isSent: !!sent.length, isBack: !!returned.length, hasEnded }),
  ]
}

interface State {
  about: Partial<Difference>
  isSent: boolean
  isBack: boolean
  /** In the period, so that `around` has all of its movements. */
  hasEnded: boolean
}

function stateDifferences({ status: actual, amount, currency }: RefundRow, state: State): Difference[] {
  const { about, isSent, isBack, hasEnded } = state
  if (isBack && actual !== 'FAILED')
    return [
      difference('STATE_DIFFERS', 'refund', {
        ...about,
        expected: 'FAILED',
        actual,
        note: 'The refund came back to the processor: the notification is missing',
      }),
    ]
  if (!hasEnded) return []
  if (actual === 'FAILED' && isSent && !isBack)
    return [
      difference('STATE_DIFFERS', 'refund', {
        ...about,
        expected: 'SUCCEEDED',
        actual,
        note: 'The wallet was credited for a failed refund that the processor has not taken back: ask the processor',
      }),
    ]
  return actual === 'SUCCEEDED' && !isSent
    ? [
        difference('MISSING_AT_PROCESSOR', 'refund', {
          ...about,
          actual: money(toCents(amount), currency),
          note: 'The processor does not list it: ask the processor whether the payer has the money',
        }),
      ]
    : []
}
