import { difference, money, type Difference } from '#reconciliation'
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
  return [
    ...known.charges.flatMap((charge, index) => chargeDifferences(charge, index, known)),
    ...missingCharges(known),
  ]
}

function chargeDifferences(
  charge: Movement,
  index: number,
  { charges, intents, suspended }: Payments,
): Difference[] {
  const { sourceId: externalId, ourId, cents, feeCents, currency } = charge
  const about = { externalId, ourId, expected: money(cents, currency) }
  if (charges.findIndex(each => each.sourceId === externalId) < index)
    return [
      difference('DUPLICATE', 'payment', {
        ...about,
        note: 'The statement lists this payment twice: ask the processor',
      }),
    ]
  const waiting = suspended.find(item => item.processorId === externalId)
  const intent = intents.find(each => each.processorId === externalId)
  if (intent?.status === 'SUCCEEDED') return bookedDifferences(intent, charge)
  if (waiting) return suspenseDifferences(waiting, charge, intents)
  const ours = intent ?? intents.find(each => each.id === ourId)
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
function suspenseDifferences(item: SuspenseRow, charge: Movement, intents: readonly Intent[]): Difference[] {
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
  const paid = intents.find(each => each.id === item.paymentId)
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
  const isCharged = (intent: Intent): boolean =>
    around.some(charge =>
      intent.processorId === null ? charge.ourId === intent.id : charge.sourceId === intent.processorId,
    )
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
