import { accounts, entriesOfJournal, freezeAccount, journalsOf, unfreezeAccount } from '#ledger'
import { cardPayments, chargebacks } from '#payments'
import type { Tx } from '#platform/kernel/db'
import { requireWallet } from '#wallets'
import { ASSET, endSubscription, lockBilling, type Billing } from './payment.ts'
import { returnRest } from './recognition.ts'
import { ownWalletOf } from './source.ts'
import * as statements from './sql.ts'

/**
 * A chargeback of a payment for an invoice. While it is open the subscription continues, and what is not earned yet is
 * frozen: it is neither earned nor returned. A won one unfreezes it. A lost one ends the period that the payment paid for:
 * the rest goes to a wallet of the account. That wallet pays the bank, and the account owes what it does not hold. If the
 * rest went back to a wallet before, that is frozen, and pays. A payment that came too late for its invoice funded a
 * wallet, and ends nothing.
 */
export async function chargeBackSubscription(
  tx: Tx,
  step: chargebacks.ChargebackStep,
): Promise<chargebacks.ChargebackEffect> {
  const { event, paymentId, disputeId, amount } = step
  const billing = await lockBilling(tx, step.reference)
  const { subscription, invoice } = billing
  const { accountId } = subscription
  if (invoice.paymentId !== paymentId) {
    const reference = (await creditedWallet(tx, paymentId)) ?? (await ownWalletOf(tx, subscription))
    return chargebacks.chargeBackWalletFunding(tx, { ...step, reference })
  }
  const concerned = [accountId]
  const deferred = accounts.deferredSubscription(subscription.id)
  const reason = chargebacks.chargebackReason(disputeId)
  const returnedTo = await returnedWallet(tx, billing)
  if (event === 'opened') {
    // What is earned cannot be taken back.
    if (invoice.recognizeAt !== null) await freezeAccount(tx, deferred, ASSET, reason)
    if (returnedTo !== undefined)
      await chargebacks.freezeDisputedWallet(tx, await requireWallet(tx, returnedTo), step)
    return { concerned }
  }
  const remaining = await unfreezeAccount(tx, deferred, ASSET, reason)
  if (event === 'won') {
    if (returnedTo !== undefined) await unfreezeAccount(tx, accounts.wallet(returnedTo), ASSET, reason)
    await tx.run(statements.recognizeNow(subscription.id, tx.now))
    return { concerned }
  }
  if (await isLast(tx, billing)) {
    // Another dispute freezes the rest too; this one has decided where it goes.
    for (const each of remaining) await unfreezeAccount(tx, deferred, ASSET, each)
    await returnRest(tx, billing)
    for (const each of remaining) await freezeAccount(tx, deferred, ASSET, each)
    await endSubscription(tx, subscription, { event: 'cancel', by: 'processor' })
  }
  await tx.run(statements.recognizeNow(subscription.id, tx.now))
  // Never an organization that pays renewals: the card was not its card.
  const account = accounts.wallet(returnedTo ?? (await ownWalletOf(tx, subscription)))
  return { concerned, parts: [{ account, amount, debtorId: accountId }] }
}

/** The wallet that got a late payment; undefined for one that was posted before journals named it. */
async function creditedWallet(tx: Tx, paymentId: string): Promise<string | undefined> {
  const payment = await cardPayments.paymentById(tx, paymentId)
  if (!payment?.journalId) return undefined
  const entries = await entriesOfJournal(tx, [accounts.processor], payment.journalId)
  return entries[0]?.reference['walletId']
}

/** The wallet that got the rest of a period that ended early; undefined if nothing was returned. */
async function returnedWallet(tx: Tx, { subscription, invoice }: Billing): Promise<string | undefined> {
  if (invoice.returned === 0n) return undefined
  const legs = await journalsOf(tx, accounts.deferredSubscription(subscription.id))
  const returned = legs.find(({ key }) => key === `invoice/${invoice.id}/returned`)
  return returned?.credit.slice(accounts.wallet('').length)
}

/** Whether the invoice pays for the period that is under way. */
async function isLast(tx: Tx, { subscription, invoice }: Billing): Promise<boolean> {
  const last = await tx.one(statements.lastInvoice(subscription.id))
  return subscription.status === 'ACTIVE' && last.id === invoice.id
}
