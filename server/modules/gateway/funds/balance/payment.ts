import { erasure } from '#identity'
import { freezeAccount, openAccounts, unfreezeAccount } from '#ledger'
import { chargebacks, type ConfirmedPayment, type Destination } from '#payments'
import { creditAccount } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { closeLeasesOf, routingAccount, writeMessage } from '../close.ts'
import { ASSET, defaultWalletOf } from './wallet.ts'

/**
 * The destination of a payment for ROUTING: the routing balance of the account that it refers to. Of a deleted account it
 * is the wallet, from where it leaves with the rest.
 */
export async function routingDestination(
  tx: Tx,
  { reference: accountId, amount, asset, source }: ConfirmedPayment,
): Promise<Destination> {
  // Locked by the deletion too, which must not end between the question and the posting.
  const wallet = await defaultWalletOf(tx, accountId)
  const credit = (await isDeleted(tx, accountId))
    ? creditAccount(wallet, false)
    : await openBalance(tx, accountId)
  return { legs: [{ debit: source, credit, amount, asset }], reference: { accountId } }
}

/**
 * A chargeback of a payment that topped up a routing balance: its real money is not spent until the dispute is decided, and
 * a lost amount is taken from it, with what instances have leased. The account owes what it does not hold.
 */
export async function chargeBackTopUp(
  tx: Tx,
  { event, disputeId, reference: accountId, amount, asset }: chargebacks.ChargebackStep,
): Promise<chargebacks.ChargebackEffect> {
  const account = await openBalance(tx, accountId)
  const concerned = [accountId]
  if (event === 'lost') {
    await closeLeasesOf(tx, accountId, 'processor')
    return { concerned, parts: [{ account, amount, debtorId: accountId }] }
  }
  const reason = chargebacks.chargebackReason(disputeId)
  if (event === 'won') await unfreezeAccount(tx, account, asset, reason)
  // A freeze would stop the deletion, which repeats to sweep what came late.
  else if (!(await isDeleted(tx, accountId))) {
    await freezeAccount(tx, account, asset, reason)
    writeMessage(tx, { kind: 'recall', accountId })
  }
  return { concerned }
}

/** Money that arrives may be the first of this account. */
async function openBalance(tx: Tx, accountId: string): Promise<string> {
  const account = routingAccount(accountId, false)
  await openAccounts(tx, [{ account, asset: ASSET }])
  return account
}

const isDeleted = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await erasure.deletedAmong(tx, [accountId])).size > 0
