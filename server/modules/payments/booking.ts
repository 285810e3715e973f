import { accounts, post } from '#ledger'
import { creditAccount, demandWallet, sweepIfDeleted } from '#wallets'
import type { Tx } from '#platform/db'
import { transition } from '#platform/machine'
import { toCents, type Leg } from '#platform/money'
import type { Paid } from '#platform/processor/processor'
import { react } from '#platform/reactions'
import { WALLET_FUNDING } from './facts.ts'
import { intentMachine } from './intent-machine.ts'
import * as statements from './sql.ts'
import type { Intent } from './sql.ts'
import { feeLegs, outOfSuspense, suspend } from './suspense.ts'

/** What became of money: `booked` where it belongs, `known` before, in `suspense`, or a `mismatch` that cannot be posted. */
export type Booked = 'booked' | 'known' | 'suspense' | 'mismatch'

/** Why a payment failed whose money came, but not as it was asked for. */
export const MISFIT = { code: 'amount_mismatch', message: 'another amount was taken in than asked for, an operator looks after it' }

/** What an operator has to know, by what became of money. */
export const COMPLAINTS: Record<string, string> = {
  suspense: 'it took in money that fits no payment, which waits in suspense (2070) for an operator',
  mismatch: 'it reported money for one of our payments that could not be posted',
  dispute: 'a payment is disputed: nothing was posted, respond at the processor',
  refund: 'a payment was refunded at the processor: nothing was posted',
}

/**
 * Books what the processor took in for a payment, which the caller has locked. It counts whatever was thought of the
 * payment before, and once: money beyond it, or of another amount, goes to suspense.
 */
export async function confirm(tx: Tx, intent: Intent, paid: Paid): Promise<Booked> {
  if (paid.processorId && await isTaken(tx, intent, paid.processorId)) return 'mismatch'
  if (intent.status === 'SUCCEEDED') return again(tx, intent, paid)
  const fits = paid.cents === toCents(intent.amount) && paid.currency === intent.currency
  if (!fits) return suspend(tx, { paymentId: intent.id, paid, reason: 'MISMATCH' })
  await book(tx, intent, paid)
  return 'booked'
}

// One payment of the processor pays one of ours. The lock makes two that name it at the same moment wait for each other.
async function isTaken(tx: Tx, intent: Intent, processorId: string): Promise<boolean> {
  await tx.run(statements.lockProcessorId(processorId))
  const other = await tx.maybe(statements.intentOfProcessorId(processorId))
  return other !== undefined && other.id !== intent.id
}

// Another payment at the processor is other money. Of the same one, only a fee that was not named before is news.
async function again(tx: Tx, { id, processor_id: booked, fee_cents: fee }: Intent, paid: Paid): Promise<Booked> {
  const { processorId, feeCents } = paid
  if (processorId && booked && booked !== processorId) return suspend(tx, { paymentId: id, paid, reason: 'PAID_TWICE' })
  if (processorId && !booked) await tx.run(statements.setProcessorId(id, processorId))
  if (fee !== 0n || !feeCents) return 'known'
  await post(tx, { kind: 'fee', key: `payment/${id}/fee`, legs: feeLegs(feeCents), reference: { paymentId: id } })
  await tx.run(statements.setFee(id, feeCents))
  return 'booked'
}

/**
 * Books a confirmed payment and moves it to SUCCEEDED, in the transaction of the notification: the money from the
 * processor's account to where it is meant for, the processor's fee as our expense.
 */
export async function book(tx: Tx, intent: Intent, receipt: Pick<Paid, 'feeCents' | 'processorId'>): Promise<Intent> {
  const { feeCents, processorId } = receipt
  const legs = [...await destinationLegs(tx, intent), ...feeLegs(feeCents), ...await outOfSuspense(tx, processorId)]
  const journal = await post(tx, { kind: 'fund', key: `payment/${intent.id}`, legs, reference: { paymentId: intent.id } })
  if (intent.purpose === WALLET_FUNDING) await sweepIfDeleted(tx, intent.reference)
  return transition(tx, intentMachine, intent, {
    event: 'confirm', by: 'processor',
    set: {
      journal_id: journal.id, confirmed_at: tx.now, fee_cents: feeCents, processor_id: processorId ?? intent.processor_id,
      ask_at: null, failure_code: null, failure_message: null,
    },
  })
}

async function destinationLegs(tx: Tx, intent: Intent): Promise<Leg[]> {
  const { id, purpose, reference, amount, currency: asset } = intent
  if (purpose === WALLET_FUNDING) {
    const wallet = await demandWallet(tx, reference)
    return [{ debit: accounts.processor, credit: creditAccount(wallet, false), amount, asset }]
  }
  const { legs } = await react(tx, 'payment.confirmed', { paymentId: id, purpose, reference, amount, asset, test: false })
  return legs.length ? legs : [{ debit: accounts.processor, credit: accounts.suspense, amount, asset }]
}

export interface Ending { event: 'fail' | 'expire'; by: 'processor' | 'timer'; code: string; message: string; askAt?: Date | null }

/** Why a payment ends that nobody made in time; a confirmation that comes later still counts. */
export const EXPIRED = { code: 'expired', message: 'The payment was not made in time' }

/** Ends a payment that brought nothing, and notifies those who waited for it. With `askAt` its outcome is asked for still. */
export async function end(tx: Tx, intent: Intent, { event, by, code, message, askAt = null }: Ending): Promise<Intent> {
  const ended = await transition(tx, intentMachine, intent, {
    event, by, details: { code }, set: { ask_at: askAt, failure_code: code, failure_message: message },
  })
  const { id, purpose, reference } = intent
  if (purpose !== WALLET_FUNDING) await react(tx, 'payment.failed', { paymentId: id, purpose, reference, reason: message })
  return ended
}
