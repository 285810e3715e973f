import { accounts, post } from '#ledger'
import { creditAccount, requireWallet, sweepIfDeleted } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import { toCents, type Leg } from '#platform/kernel/money'
import type { Paid } from '../processors/port.ts'
import { publish } from '#platform/kernel/events'
import { paymentConfirmed, paymentFailed } from '../events.ts'
import { intentMachine } from './machine.ts'
import { paymentDestination, type ConfirmedPayment, type Destination } from '../ports.ts'
import * as statements from '../sql.ts'
import type { Intent } from '../sql.ts'
import { feeLegs, outOfSuspense, suspend } from '../suspense/suspense.ts'

/** What became of money: `booked` where it belongs, `known` before, in `suspense`, or a `mismatch` that cannot be posted. */
export type Booked = 'booked' | 'known' | 'suspense' | 'mismatch'

/** Why a payment failed whose money came, but not as it was asked for. */
export const AMOUNT_MISMATCH = {
  code: 'amount_mismatch',
  message: 'another amount was taken in than asked for, an operator looks after it',
}

/** What an operator has to know, by what became of money. */
export const OPERATOR_ALERTS: Record<string, string> = {
  suspense: 'it took in money that fits no payment, which waits in suspense (2070) for an operator',
  mismatch: 'it reported money for one of our payments that could not be posted',
  dispute: 'a dispute fits no payment here: nothing was posted, respond at the processor',
  refund: 'a payment was refunded at the processor: nothing was posted',
}

/**
 * Books what the processor took in for a payment, which the caller has locked. It counts whatever was thought of the
 * payment before, and once: money beyond it, or of another amount, goes to suspense.
 */
export async function confirm(tx: Tx, intent: Intent, paid: Paid): Promise<Booked> {
  if (paid.processorId && (await isTaken(tx, intent, paid.processorId))) return 'mismatch'
  if (intent.status === 'SUCCEEDED') return again(tx, intent, paid)
  const fits = paid.cents === toCents(intent.amount) && paid.currency === intent.currency
  if (!fits) return suspend(tx, { paymentId: intent.id, paid, reason: 'MISMATCH' })
  await book(tx, intent, paid)
  if (paid.cardFingerprint) tx.write(statements.insertCard(intent.accountId, paid.cardFingerprint, tx.now))
  return 'booked'
}

// One payment of the processor pays one of ours. The lock makes two that name it at the same moment wait for each other.
async function isTaken(tx: Tx, intent: Intent, processorId: string): Promise<boolean> {
  await tx.run(statements.lockProcessorId(processorId))
  const other = await tx.maybe(statements.intentOfProcessorId(processorId))
  return other !== undefined && other.id !== intent.id
}

// Another payment at the processor is other money. Of the same one, only a fee that was not named before is news.
async function again(
  tx: Tx,
  { id, processorId: booked, feeCents: fee }: Intent,
  paid: Paid,
): Promise<Booked> {
  const { processorId, feeCents } = paid
  if (processorId && booked && booked !== processorId)
    return suspend(tx, { paymentId: id, paid, reason: 'PAID_TWICE' })
  if (processorId && !booked) await tx.run(statements.setProcessorId(id, processorId))
  if (fee !== 0n || !feeCents) return 'known'
  await post(tx, {
    kind: 'fee',
    key: `payment/${id}/fee`,
    legs: feeLegs(feeCents),
    reference: { paymentId: id },
  })
  await tx.run(statements.setFee(id, feeCents))
  return 'booked'
}

/**
 * Books a confirmed payment and moves it to SUCCEEDED, in the transaction of the notification: the money from the
 * processor's account to where it is meant for, the processor's fee as our expense.
 */
export async function book(
  tx: Tx,
  intent: Intent,
  receipt: Pick<Paid, 'feeCents' | 'processorId'>,
): Promise<Intent> {
  const { feeCents, processorId } = receipt
  const destination = await destinationOf(tx, intent)
  const journal = await post(tx, {
    kind: 'fund',
    key: `payment/${intent.id}`,
    legs: [...destination.legs, ...feeLegs(feeCents), ...(await outOfSuspense(tx, processorId))],
    reference: { ...destination.reference, paymentId: intent.id },
  })
  for (const walletId of creditedWallets(destination.legs)) await sweepIfDeleted(tx, walletId)
  const { id: paymentId, purpose, reference } = intent
  await publish(tx, paymentConfirmed, { paymentId, purpose, reference })
  return transition(tx, intentMachine, intent, {
    event: 'confirm',
    by: 'processor',
    set: {
      journalId: journal.id,
      confirmedAt: tx.now,
      feeCents,
      processorId: processorId ?? intent.processorId,
      askAt: null,
      failureCode: null,
      failureMessage: null,
    },
  })
}

// Money for a purpose that this version does not know waits in suspense.
async function destinationOf(tx: Tx, intent: Intent): Promise<Destination> {
  const { id: paymentId, purpose, reference, amount, currency: asset } = intent
  const source = accounts.processor
  if (!paymentDestination.isKey(purpose))
    return { legs: [{ debit: source, credit: accounts.suspense, amount, asset }] }
  return paymentDestination.call(tx, purpose, { paymentId, reference, amount, asset, source })
}

const WALLET = accounts.wallet('')
const creditedWallets = (legs: readonly Leg[]): string[] =>
  legs.filter(leg => leg.credit.startsWith(WALLET)).map(leg => leg.credit.slice(WALLET.length))

/** The destination of a payment for WALLET_FUNDING: the wallet that it refers to. */
export async function walletFundingDestination(
  tx: Tx,
  { reference, amount, asset, source }: ConfirmedPayment,
): Promise<Destination> {
  const wallet = await requireWallet(tx, reference)
  return { legs: [{ debit: source, credit: creditAccount(wallet, false), amount, asset }] }
}

export interface Ending {
  event: 'fail' | 'expire'
  by: 'processor' | 'timer'
  code: string
  message: string
  askAt?: Date | null
}

/** Why a payment ends that nobody made in time; a confirmation that comes later still counts. */
export const EXPIRED = { code: 'expired', message: 'The payment was not made in time' }

/** Ends a payment that brought nothing, and notifies those who waited for it. With `askAt` its outcome is asked for still. */
export async function end(
  tx: Tx,
  intent: Intent,
  { event, by, code, message, askAt = null }: Ending,
): Promise<Intent> {
  const ended = await transition(tx, intentMachine, intent, {
    event,
    by,
    details: { code },
    set: { askAt, failureCode: code, failureMessage: message },
  })
  const { id, purpose, reference } = intent
  await publish(tx, paymentFailed, { paymentId: id, purpose, reference, reason: message })
  return ended
}
