import { accounts, freezeAccount, unfreezeAccount } from '#ledger'
import { chargebacks } from '#payments'
import type { Tx } from '#platform/kernel/db'
import { ASSET, endSubscription, lockBilling, type Billing } from './payment.ts'
import { returnRest } from './recognition.ts'
import { ownWalletOf } from './source.ts'
import * as statements from './sql.ts'

/**
 * A chargeback of a payment for an invoice. While it is open the subscription continues, and what is not earned yet is
 * frozen: it is neither earned nor returned. A won one unfreezes it. A lost one ends the period that the payment paid for:
 * the rest goes to a wallet of the account. A second payment for a paid invoice went there at once, and ends nothing. That
 * wallet pays the bank, and the account owes what it does not hold.
 */
export async function chargeBackSubscription(
  tx: Tx,
  { event, paymentId, disputeId, reference, amount }: chargebacks.ChargebackStep,
): Promise<chargebacks.ChargebackEffect> {
  const billing = await lockBilling(tx, reference)
  const { subscription, invoice } = billing
  const { accountId } = subscription
  const concerned = [accountId]
  const deferred = accounts.deferredSubscription(subscription.id)
  const reason = chargebacks.chargebackReason(disputeId)
  if (event === 'opened') {
    // Late money is in a wallet, and what is earned cannot be taken back.
    const isDeferred = invoice.paymentId === paymentId && invoice.recognizeAt !== null
    if (isDeferred) await freezeAccount(tx, deferred, ASSET, reason)
    return { concerned }
  }
  const remaining = await unfreezeAccount(tx, deferred, ASSET, reason)
  if (event === 'won') {
    await tx.run(statements.recognizeNow(subscription.id, tx.now))
    return { concerned }
  }
  if (invoice.paymentId === paymentId && (await isLast(tx, billing))) {
    // Another dispute freezes the rest too; this one has decided where it goes.
    for (const each of remaining) await unfreezeAccount(tx, deferred, ASSET, each)
    await returnRest(tx, billing)
    for (const each of remaining) await freezeAccount(tx, deferred, ASSET, each)
    await endSubscription(tx, subscription, { event: 'cancel', by: 'processor' })
  }
  await tx.run(statements.recognizeNow(subscription.id, tx.now))
  // Never an organization that pays renewals: the card was not its card.
  const account = accounts.wallet(await ownWalletOf(tx, subscription))
  return { concerned, parts: [{ account, amount, debtorId: accountId }] }
}

/** Whether the invoice pays for the period that is under way. */
async function isLast(tx: Tx, { subscription, invoice }: Billing): Promise<boolean> {
  const last = await tx.one(statements.lastInvoice(subscription.id))
  return subscription.status === 'ACTIVE' && last.id === invoice.id
}
