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

/** What became of money: `booked` where it belongs, `suspense` where nobody knows, `known` before, `mismatch` not to be posted. */
export type Booked = 'booked' | 'known' | 'suspense' | 'mismatch'

/**
 * Books what the processor took in for a payment, which the caller has locked. It counts whatever was thought of the
 * payment before, and once: money beyond it, or of another amount, goes to suspense.
 */
export async function confirm(tx: Tx, intent: Intent, paid: Paid): Promise<Booked> {
  if (intent.status === 'SUCCEEDED') return again(tx, intent, paid)
  const other = paid.processorId ? await tx.maybe(statements.intentOfProcessorId(paid.processorId)) : undefined
  if (other && other.id !== intent.id) return 'mismatch'
  const fits = paid.cents === toCents(intent.amount) && paid.currency === intent.currency
  if (!fits) return suspend(tx, { paymentId: intent.id, paid, reason: 'MISMATCH' })
  await book(tx, intent, paid)
  return 'booked'
}

// A notification that does not name the processor's payment tells nothing new; another payment there is other money.
async function again(tx: Tx, { id, processor_id: booked }: Intent, paid: Paid): Promise<Booked> {
  if (!paid.processorId || booked === paid.processorId) return 'known'
  if (booked) return suspend(tx, { paymentId: id, paid, reason: 'PAID_TWICE' })
  await tx.run(statements.setProcessorId(id, paid.processorId))
  return 'known'
}

/**
 * Books a confirmed payment and moves it to SUCCEEDED, in the transaction of the notification: the money from the
 * processor's account to where it is meant for, the processor's fee as our expense.
 */
export async function book(tx: Tx, intent: Intent, { feeCents, processorId }: Pick<Paid, 'feeCents' | 'processorId'>): Promise<Intent> {
  const legs = [...await destinationLegs(tx, intent), ...feeLegs(feeCents), ...await outOfSuspense(tx, processorId)]
  const journal = await post(tx, { kind: 'fund', key: `payment/${intent.id}`, legs, reference: { paymentId: intent.id } })
  if (intent.purpose === WALLET_FUNDING) await sweepIfDeleted(tx, intent.reference)
  return transition(tx, intentMachine, intent, {
    event: 'confirm', by: 'processor',
    set: {
      journal_id: journal.id, confirmed_at: tx.now, ask_at: null, failure_code: null, failure_message: null, processor_id: processorId ?? intent.processor_id,
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

/** Ends a payment that brought nothing, and tells those who waited for it. */
export async function end(tx: Tx, intent: Intent, how: { event: 'fail' | 'expire'; by: 'processor' | 'timer'; code: string; message: string }): Promise<Intent> {
  const ended = await transition(tx, intentMachine, intent, {
    event: how.event, by: how.by, set: { ask_at: null, failure_code: how.code, failure_message: how.message }, details: { code: how.code },
  })
  const { id, purpose, reference } = intent
  if (purpose !== WALLET_FUNDING) await react(tx, 'payment.failed', { paymentId: id, purpose, reference, reason: how.message })
  return ended
}

/** Ends a payment that nobody made in time; a confirmation that comes later still counts. */
export const expire = (tx: Tx, intent: Intent): Promise<Intent> =>
  end(tx, intent, { event: 'expire', by: 'timer', code: 'expired', message: 'The payment was not made in time' })
