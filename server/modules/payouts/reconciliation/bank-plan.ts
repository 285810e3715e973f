import { cardStatement } from '#payments'
import { difference, money, type Difference } from '#reconciliation'
import { toCents } from '#platform/kernel/money'
import type { Payout } from '../payout/sql.ts'

type Movement = cardStatement.Movement

export interface BankPayouts extends cardStatement.Statement {
  /** Those that the movements of the period name, and those that ended in the period. */
  payouts: readonly Payout[]
}

/** Money that leaves to a connected account, or comes back from it. */
export const isTransfer = ({ kind }: Movement): boolean => kind === 'transfer' || kind === 'transfer_reversal'
const named = ({ id, transferId }: Payout) => ({ id, externalId: transferId })

/** Payouts to banks on which the statement of the processor and the books differ. */
export function compareBankPayouts({ movements, around, payouts, from, to }: BankPayouts): Difference[] {
  const unknown = cardStatement.unknownAmong(movements.filter(isTransfer), payouts.map(named))
  const lines = new cardStatement.Lines(around.filter(isTransfer))
  return [
    ...unknown.map(({ sourceId: externalId, ourId, cents, currency }) =>
      difference('MISSING_HERE', 'transfer', {
        externalId,
        ourId,
        expected: money(Math.abs(cents), currency),
        note: 'No payout caused it: find out at the processor who made it',
      }),
    ),
    ...payouts.flatMap(row => {
      const { completedAt } = row
      return payoutDifferences(
        row,
        lines.of(named(row)),
        completedAt !== null && completedAt >= from && completedAt < to,
      )
    }),
  ]
}

function payoutDifferences(row: Payout, own: readonly Movement[], hasEnded: boolean): Difference[] {
  const sent = own.filter(({ kind }) => kind === 'transfer')
  const returned = own.filter(({ kind }) => kind === 'transfer_reversal')
  const about = { externalId: row.transferId ?? own[0]?.sourceId ?? null, ourId: row.id }
  const amount = toCents(row.amount)
  const found: Difference[] = []
  if (sent.length > 1 || returned.length > 1)
    found.push(
      difference('DUPLICATE', 'payout', {
        ...about,
        note: 'The statement lists the transfer of this payout twice: take one back at the processor',
      }),
    )
  for (const { cents, currency } of [...sent.slice(0, 1), ...returned.slice(0, 1)])
    if (Math.abs(cents) !== amount)
      found.push(
        difference('AMOUNT_DIFFERS', 'payout', {
          ...about,
          expected: money(Math.abs(cents), currency),
          actual: money(amount, row.currency),
          note: 'The books are not what the processor moved: correct them with the processor',
        }),
      )
  const state = { isSent: !!sent.length, isBack: !!returned.length, hasEnded }
  return [...found, ...stateDifferences(row, about, state)]
}

interface State {
  isSent: boolean
  isBack: boolean
  /** In the period, so that `around` has all of its movements. */
  hasEnded: boolean
}

function stateDifferences(
  { status: actual, amount, currency }: Payout,
  about: Partial<Difference>,
  { isSent, isBack, hasEnded }: State,
): Difference[] {
  const differs = (expected: string, note: string) => [
    difference('STATE_DIFFERS', 'payout', { ...about, expected, actual, note }),
  ]
  if (isSent && (actual === 'REVIEW' || actual === 'REQUESTED'))
    return differs('PENDING', 'It is not sent here, but at the processor: ask the processor')
  if (isBack && (actual === 'PENDING' || actual === 'IN_TRANSIT' || actual === 'PAID'))
    return differs(
      actual === 'PAID' ? 'RETURNED' : 'FAILED',
      'The money came back to the processor: the notification is missing',
    )
  if (!hasEnded) return []
  if (actual !== 'PAID' && isSent && !isBack)
    return differs(
      'PAID',
      'The wallet was credited, but the transfer was not taken back: take it back at the processor',
    )
  return actual === 'PAID' && !isSent
    ? [
        difference('MISSING_AT_PROCESSOR', 'payout', {
          ...about,
          actual: money(toCents(amount), currency),
          note: 'The processor does not list its transfer: ask the processor',
        }),
      ]
    : []
}
