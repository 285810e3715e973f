import { cardStatement } from '#payments'
import type { Difference, RailReport, ReconciliationOrder } from '#reconciliation'
import type { Db } from '#platform/kernel/db'
import { toCents } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { pursueSent } from '../payout/pursue.ts'
import { payoutById, type Payout } from '../payout/sql.ts'
import { compareBankPayouts, isTransfer } from './bank-plan.ts'
import * as statements from './sql.ts'

/**
 * Compares the transfers in the statement of the processor with the payouts to banks, both ways, and with the events that
 * were received. A state that a lost event hides is booked if `repair` says so. ApiError 503 if the processor does not respond.
 */
export const reconcileBankPayouts =
  (services: Services) =>
  (db: Db, order: ReconciliationOrder): Promise<RailReport> =>
    cardStatement.orIncomplete(compare(services, db, order))

async function compare(services: Services, db: Db, order: ReconciliationOrder): Promise<RailReport> {
  const { since } = await db.one(statements.oldestBankPayoutEnded(order))
  const statement = await cardStatement.readStatement(services, order, since)
  const own = statement.movements.filter(isTransfer)
  const payouts = await db.rows(
    statements.bankPayoutsIn(
      order,
      own.flatMap(({ sourceId }) => sourceId ?? []),
      own.flatMap(({ ourId }) => ourId ?? []),
    ),
  )
  const differences: Difference[] = []
  for (const each of compareBankPayouts({ ...statement, payouts }))
    differences.push(order.repair ? await repaired(services, each) : each)
  const events = await cardStatement.compareEvents(db, [
    ...own.flatMap(transferSubject),
    ...payouts.flatMap(row => bankSubject(row, order)),
  ])
  return { rail: 'bank', compared: own.length, differences: [...differences, ...events] }
}

function transferSubject(movement: cardStatement.Movement): cardStatement.EventSubject[] {
  const { kind, sourceId, ourId, cents, currency } = movement
  if (kind !== 'transfer' || sourceId === null) return []
  return [
    {
      subject: 'transfer',
      externalId: sourceId,
      ourId,
      cents: Math.abs(cents),
      currency,
      amountIn: /^transfer\./,
    },
  ]
}

/** The payout from the connected account to its bank, which the statement of the platform does not have. */
function bankSubject(
  { id, bankPayoutId, completedAt, amount, currency }: Payout,
  { from, to }: ReconciliationOrder,
): cardStatement.EventSubject[] {
  if (bankPayoutId === null || completedAt === null || completedAt < from || completedAt >= to) return []
  return [
    {
      subject: 'payout',
      externalId: bankPayoutId,
      ourId: id,
      cents: toCents(amount),
      currency,
      amountIn: /^payout\./,
    },
  ]
}

/** Asks the processor again about a payout whose event was lost. */
async function repaired(services: Services, found: Difference): Promise<Difference> {
  const { kind, ourId, expected } = found
  if (kind !== 'STATE_DIFFERS' || ourId === null) return found
  await pursueSent(services, ourId)
  const { status } = await services.db.one(payoutById(ourId))
  return status === expected || (expected === 'FAILED' && status === 'CANCELED')
    ? { ...found, note: 'It was read again and booked', isOpen: false }
    : found
}
