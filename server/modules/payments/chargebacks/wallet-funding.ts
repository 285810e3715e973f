import { erasure, organizations } from '#identity'
import { accounts, freezeAccount, unfreezeAccount } from '#ledger'
import { requireWallet, type Wallet } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { chargebackReason, type ChargebackEffect, type ChargebackStep } from './port.ts'

/**
 * A chargeback of a payment that funded a wallet: its real money does not leave it until the dispute is decided, and a
 * lost amount is taken from it. Its owner owes what it does not hold.
 */
export async function chargeBackWalletFunding(
  tx: Tx,
  { event, disputeId, reference, amount, asset }: ChargebackStep,
): Promise<ChargebackEffect> {
  const wallet = await requireWallet(tx, reference)
  const account = accounts.wallet(wallet.id)
  const concerned = await peopleOf(tx, wallet)
  if (event === 'lost') return { concerned, parts: [{ account, amount, debtorId: wallet.accountId }] }
  const reason = chargebackReason(disputeId)
  if (event === 'won') await unfreezeAccount(tx, account, asset, reason)
  // What still arrives in the wallet of a deleted owner is swept: a freeze would stop whoever pays it.
  else if (!(await erasure.deletedAmong(tx, [wallet.accountId])).size)
    await freezeAccount(tx, account, asset, reason)
  return { concerned }
}

async function peopleOf(tx: Tx, { ownerType, ownerId, accountId }: Wallet): Promise<readonly string[]> {
  if (ownerType !== 'ORGANIZATION') return [accountId]
  return [...((await organizations.staffOf(tx, [ownerId])).get(ownerId) ?? [])]
}
