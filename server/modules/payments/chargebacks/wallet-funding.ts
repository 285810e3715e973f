import { erasure, organizations } from '#identity'
import { accounts, freezeAccount, unfreezeAccount } from '#ledger'
import { requireWallet, type Wallet } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { chargebackReason, type ChargebackEffect, type ChargebackStep } from './port.ts'

/**
 * A chargeback of a payment that funded a wallet: its real money does not leave it until the dispute is decided, and a
 * lost amount is taken from it. What it does not hold the payer owes: an agent may have been claimed since, with its wallet. For
 * the wallet of an organization, which outlives its members, the organization owes it.
 */
export async function chargeBackWalletFunding(
  tx: Tx,
  { event, payerId, disputeId, reference, amount, asset }: ChargebackStep,
): Promise<ChargebackEffect> {
  const wallet = await requireWallet(tx, reference)
  const account = accounts.wallet(wallet.id)
  const concerned = await peopleOf(tx, wallet, payerId)
  const debtorId = wallet.ownerType === 'ORGANIZATION' ? wallet.accountId : payerId
  if (event === 'lost') return { concerned, parts: [{ account, amount, debtorId }] }
  if (event === 'won') await unfreezeAccount(tx, account, asset, chargebackReason(disputeId))
  else await freezeDisputedWallet(tx, wallet, { asset, disputeId })
  return { concerned }
}

/** Freezes the real money of a wallet, which has money of a disputed payment, until the dispute is decided. */
export async function freezeDisputedWallet(
  tx: Tx,
  { id, accountId }: Pick<Wallet, 'id' | 'accountId'>,
  { asset, disputeId }: Pick<ChargebackStep, 'asset' | 'disputeId'>,
): Promise<void> {
  // What still arrives in the wallet of a deleted owner is swept: a freeze would fail the payment.
  if ((await erasure.deletedAmong(tx, [accountId])).size) return
  await freezeAccount(tx, accounts.wallet(id), asset, chargebackReason(disputeId))
}

async function peopleOf(
  tx: Tx,
  { ownerType, ownerId, accountId }: Wallet,
  payerId: string,
): Promise<readonly string[]> {
  if (ownerType !== 'ORGANIZATION') return [...new Set([accountId, payerId])]
  return [...((await organizations.staffOf(tx, [ownerId])).get(ownerId) ?? [])]
}
