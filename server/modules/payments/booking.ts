import { accounts, post } from '#ledger'
import { creditAccount, demandWallet, sweepIfDeleted } from '#wallets'
import type { Tx } from '#platform/db'
import { transition } from '#platform/machine'
import { fromCents, type Leg } from '#platform/money'
import { react } from '#platform/reactions'
import { WALLET_FUNDING } from './facts.ts'
import { intentMachine } from './intent-machine.ts'
import type { Intent } from './sql.ts'

/** What the processor kept of a payment, and its id there. */
interface Receipt { feeCents: number; processorId: string | null }

/**
 * Books a confirmed payment and moves it to SUCCEEDED, in the transaction of the notification: the money from the
 * processor's account to where it is meant for, the processor's fee as our expense.
 */
export async function book(tx: Tx, intent: Intent, receipt: Receipt): Promise<Intent> {
  const fee = fromCents(receipt.feeCents)
  const legs = await destinationLegs(tx, intent)
  if (fee > 0n) legs.push({ debit: accounts.processorFee, credit: accounts.processor, amount: fee, asset: intent.currency })
  const journal = await post(tx, { kind: 'fund', key: `payment/${intent.id}`, legs, reference: { paymentId: intent.id } })
  if (intent.purpose === WALLET_FUNDING) await sweepIfDeleted(tx, intent.reference)
  return transition(tx, intentMachine, intent, {
    event: 'confirm', by: 'processor',
    set: { journal_id: journal.id, confirmed_at: tx.now, failure_code: null, failure_message: null, processor_id: intent.processor_id ?? receipt.processorId },
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
    event: how.event, by: how.by, set: { failure_code: how.code, failure_message: how.message }, details: { code: how.code },
  })
  const { id, purpose, reference } = intent
  if (purpose !== WALLET_FUNDING) await react(tx, 'payment.failed', { paymentId: id, purpose, reference, reason: how.message })
  return ended
}
