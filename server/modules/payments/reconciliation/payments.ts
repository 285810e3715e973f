import { difference, firstBy, money, type Difference } from '#reconciliation'
import { formatMoney, toCents } from '#platform/kernel/money'
import type { Movement } from '../processors/statement-port.ts'
import type { Intent, SuspenseRow } from '../sql.ts'

/** What the books know about the payments of a statement. */
export interface Payments {
  /** Charges of the period. */
  charges: readonly Movement[]
  /** Charges of the period and around it: clocks differ. */
  around: readonly Movement[]
  intents: readonly Intent[]
  /** Those that were confirmed in the period. */
  confirmed: readonly Intent[]
  suspended: readonly SuspenseRow[]
}

/** Payments on which the statement of the processor and the books differ. */
export function comparePayments(known: Payments): Difference[] {
  const { charges, intents, suspended } = known
  const books: Books = {
    first: firstBy(charges, ({ sourceId }) => sourceId),
    byId: firstBy(intents, ({ id }) => id),
    byExternalId: firstBy(intents, ({ processorId }) => processorId),
    suspended: firstBy(suspended, ({ processorId }) => processorId),
  }
  return [...charges.flatMap(charge => chargeDifferences(charge, books)), ...missingCharges(known)]
}

interface Books {
  /** The first charge of each payment at the processor. */
  first: ReadonlyMap<string | null, Movement>
  byId: ReadonlyMap<string | null, Intent>
  byExternalId: ReadonlyMap<string | null, Intent>
  suspended: ReadonlyMap<string | null, SuspenseRow>
}

function chargeDifferences(charge: Movement, books: Books): Difference[] {
  const { sourceId: externalId, ourId, cents, feeCents, currency } = charge
  const about = { externalId, ourId, expected: money(cents, currency) }
  if (books.first.get(externalId) !== charge)
    return [
      difference('DUPLICATE', 'payment', {
        ...about,
        note: 'The statement lists this payment twice: ask the processor',
      }),
    ]
  const waiting = books.suspended.get(externalId)
  const intent = books.byExternalId.get(externalId)
  if (intent?.status === 'SUCCEEDED') return bookedDifferences(intent, charge)
  if (waiting) return suspenseDifferences(waiting, charge, books.byId.get(waiting.paymentId))
  const ours = intent ?? books.byId.get(ourId)
  return [
    difference('MISSING_HERE', 'payment', {
      ...about,
      ourId: ours?.id ?? ourId,
      actual: ours ? ours.status : null,
      note: ours
        ? `It was not booked: its notification is missing. The fee is ${money(feeCents, currency)}`
        : 'No payment has this id: it may belong to another user of the same processor account, or be lost here',
    }),
  ]
}

function bookedDifferences(
  intent: Intent,
  { sourceId: externalId, cents, feeCents, currency }: Movement,
): Difference[] {
  const about = { externalId, ourId: intent.id }
  const note = 'The books are not what the processor took: correct them with the processor'
  const amount = toCents(intent.amount)
  return [
    ...(amount === cents && intent.currency === currency
      ? []
      : [
          difference('AMOUNT_DIFFERS', 'payment', {
            ...about,
            expected: money(cents, currency),
            actual: `${formatMoney(intent.amount)} ${intent.currency}`,
            note,
          }),
        ]),
    ...(intent.feeCents === null || Number(intent.feeCents) === feeCents
      ? []
      : [
          difference('AMOUNT_DIFFERS', 'fee', {
            ...about,
            expected: money(feeCents, currency),
            actual: money(intent.feeCents, currency),
            note,
          }),
        ]),
  ]
}

/** Money in suspense is booked; an operator decides about it. */
function suspenseDifferences(item: SuspenseRow, charge: Movement, paid: Intent | undefined): Difference[] {
  const about = {
    externalId: item.processorId,
    ourId: item.paymentId,
    expected: money(charge.cents, charge.currency),
  }
  const actual = money(item.cents, item.currency)
  const isOpen = item.settledAt === null
  const note = isOpen ? 'It waits in suspense: assign or return it' : 'It left suspense'
  if (Number(item.cents) !== charge.cents || item.currency !== charge.currency)
    return [difference('AMOUNT_DIFFERS', 'payment', { ...about, actual, note, isOpen: true })]
  if (item.reason === 'PAID_TWICE')
    return [difference('DUPLICATE', 'payment', { ...about, actual, note, isOpen })]
  return [
    paid
      ? difference('AMOUNT_DIFFERS', 'payment', {
          ...about,
          actual: `${formatMoney(paid.amount)} ${paid.currency}`,
          note,
          isOpen,
        })
      : difference('MISSING_HERE', 'payment', { ...about, note, isOpen }),
  ]
}

/** Payments in the books that the statement does not have. */
function missingCharges({ confirmed, around }: Payments): Difference[] {
  const sourceIds = new Set(around.map(({ sourceId }) => sourceId))
  const ourIds = new Set(around.map(({ ourId }) => ourId))
  const isCharged = ({ id, processorId }: Intent): boolean =>
    processorId === null ? ourIds.has(id) : sourceIds.has(processorId)
  return confirmed
    .filter(intent => !isCharged(intent))
    .map(({ id: ourId, processorId: externalId, amount, currency }) =>
      difference('MISSING_AT_PROCESSOR', 'payment', {
        externalId,
        ourId,
        actual: `${formatMoney(amount)} ${currency}`,
        note: 'The processor does not list it: ask the processor before the money is spent',
      }),
    )
}
