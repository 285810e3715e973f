import {
  difference,
  money,
  type Difference,
  type RailReport,
  type ReconciliationOrder,
} from '#reconciliation'
import type { Db } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { followDispute } from '../chargebacks/follow.ts'
import { rereadPayment } from '../intents/reread.ts'
import type { Movement } from '../processors/statement-port.ts'
import { rereadRefund } from '../refunds/refund.ts'
import { compareDisputes } from './disputes.ts'
import { compareEvents, type EventSubject } from './events.ts'
import { comparePayments } from './payments.ts'
import { compareRefunds } from './refunds.ts'
import { orIncomplete, readStatement, type Statement } from './statement.ts'
import * as statements from './sql.ts'

/**
 * Compares the statement of the card processor with payments, refunds and chargebacks, both ways, and with the events that
 * were received. What a lost event hides is booked if `repair` says so. ApiError 503 if the processor does not respond.
 */
export const reconcileCards =
  (services: Services) =>
  (db: Db, order: ReconciliationOrder): Promise<RailReport> =>
    orIncomplete(compareCards(services, db, order))

async function compareCards(
  services: Services,
  db: Db,
  { from, to, repair }: ReconciliationOrder,
): Promise<RailReport> {
  const { since } = await db.one(statements.oldestRefundEnded(from, to))
  const statement = await readStatement(services, { from, to }, since)
  const own = statement.movements.filter(({ kind }) => kind !== 'transfer' && kind !== 'transfer_reversal')
  const found = [
    ...(await differencesOfPayments(db, statement)),
    ...(await differencesOfDisputes(db, statement)),
    ...(await differencesOfRefunds(db, statement)),
    ...unknownMovements(own),
  ]
  const differences: Difference[] = []
  for (const each of found) differences.push(repair ? await repaired(services, each) : each)
  const events = await compareEvents(db, own.flatMap(subjectOf))
  return { rail: 'card', compared: own.length, differences: [...differences, ...events] }
}

/** What events must have been received about, and those whose amount is that of the movement and not of a part of it. */
const SUBJECTS: Partial<Record<Movement['kind'], Pick<EventSubject, 'subject' | 'amountIn'>>> = {
  charge: { subject: 'payment', amountIn: /^payment_intent\.succeeded$/ },
  refund: { subject: 'refund', amountIn: /^refund\./ },
  dispute: { subject: 'dispute', amountIn: /^charge\.dispute\./ },
}

function subjectOf({ kind, sourceId, ourId, cents, currency }: Movement): EventSubject[] {
  const about = SUBJECTS[kind]
  // Money that a failed refund brought back is about the same object.
  if (!about || sourceId === null || (kind === 'refund' && cents > 0)) return []
  return [{ ...about, externalId: sourceId, ourId, cents: Math.abs(cents), currency }]
}

async function differencesOfPayments(
  db: Db,
  { from, to, movements, around }: Statement,
): Promise<Difference[]> {
  const charges = movements.filter(({ kind }) => kind === 'charge')
  const externalIds = idsOf(charges, 'sourceId')
  const suspended = await db.rows(statements.suspendedOf(externalIds))
  const ourIds = [...idsOf(charges, 'ourId'), ...suspended.map(({ paymentId }) => paymentId)]
  return comparePayments({
    charges,
    around: around.filter(({ kind }) => kind === 'charge'),
    intents: await db.rows(statements.intentsOf(externalIds, ourIds)),
    confirmed: await db.rows(statements.intentsConfirmed(from, to)),
    suspended,
  })
}

const idsOf = (movements: readonly Movement[], id: 'sourceId' | 'ourId'): string[] =>
  movements.flatMap(movement => movement[id] ?? [])

const ofDispute = ({ kind }: Movement): boolean => kind === 'dispute' || kind === 'dispute_reversal'

async function differencesOfDisputes(
  db: Db,
  { from, to, movements, around }: Statement,
): Promise<Difference[]> {
  const own = movements.filter(ofDispute)
  return compareDisputes({
    movements: own,
    around: around.filter(ofDispute),
    chargebacks: await db.rows(statements.chargebacksOf(idsOf(own, 'sourceId'))),
    opened: await db.rows(statements.chargebacksOpened(from, to)),
  })
}

async function differencesOfRefunds(db: Db, statement: Statement): Promise<Difference[]> {
  const own = statement.movements.filter(({ kind }) => kind === 'refund')
  const refunds = await db.rows(statements.refundsIn(statement, idsOf(own, 'sourceId'), idsOf(own, 'ourId')))
  return compareRefunds({ ...statement, refunds })
}

/** Movements that nothing in this service causes, such as a payout to the bank of the operator. */
const unknownMovements = (movements: readonly Movement[]): Difference[] =>
  movements
    .filter(({ kind }) => kind === 'payout' || kind === 'fee' || kind === 'other')
    .map(({ id, kind, ourId, cents, currency }) =>
      difference('MISSING_HERE', kind, {
        externalId: id,
        ourId,
        expected: money(cents, currency),
        note: 'The service did not cause it: the ledger does not contain it',
      }),
    )

/** Reads again what a lost event was about. */
async function repaired(services: Services, found: Difference): Promise<Difference> {
  const isMissing = found.kind === 'MISSING_HERE' || found.kind === 'STATE_DIFFERS'
  if (!isMissing || !found.isOpen) return found
  const done = await reread(services, found)
  if (done !== 'booked' && done !== 'known' && done !== 'suspense') return found
  const note =
    done === 'suspense' ? 'It was read again and waits in suspense' : 'It was read again and booked'
  return { ...found, note, isOpen: done === 'suspense' }
}

async function reread(
  services: Services,
  { subject, ourId, externalId, expected }: Difference,
): Promise<string | null> {
  if (externalId === null) return null
  if (subject === 'dispute') return followDispute(services, externalId)
  if (subject === 'payment')
    return rereadPayment(services, { paymentId: ourId ?? '', processorId: externalId })
  if (subject !== 'refund' || ourId === null || !isId(ourId)) return null
  return (await rereadRefund(services, ourId)) === expected ? 'booked' : null
}
