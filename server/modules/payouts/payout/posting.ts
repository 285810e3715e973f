import { updateReturned } from '#budgets'
import { accounts, openAccounts, post } from '#ledger'
import { chargebacks } from '#payments'
import { requireWallet, sweepIfDeleted } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { sql } from '#platform/kernel/sql'
import type { RailReport } from './rails.ts'
import type { Payout } from './sql.ts'

/**
 * Posts what the present state of a payout means, once. Money that comes back pays what its owner owes by then, that of a
 * deleted owner goes to the unclaimed funds. `source` is the account that a paid one leaves from. ApiErrors at the request: 400 `Insufficient balance`, 409 for a frozen wallet.
 */
export async function postPayout(
  tx: Tx,
  payout: Payout,
  { source = accounts.processor, gas = null }: Partial<Pick<RailReport, 'source' | 'gas'>> = {},
): Promise<void> {
  const { id, walletId, amount, currency: asset } = payout
  const { event, ...sides } = movementOf(payout, source)
  const isBack = event !== 'requested' && event !== 'paid'
  if (event === 'requested') await openAccounts(tx, [{ account: sides.credit, asset }])
  await post(tx, {
    kind: `payout_${event}`,
    key: `payout/${id}/${event}`,
    reference: { payoutId: id },
    legs: [
      { ...sides, amount, asset },
      ...(event === 'paid' && gas ? [gas] : []),
      ...(isBack && payout.sentAt
        ? await chargebacks.recoverFromReturn(tx, await requireWallet(tx, walletId), amount)
        : []),
    ],
  })
  if (!isBack) return
  await sweepIfDeleted(tx, walletId)
  // Nothing happens unless an organization's budget was charged for it.
  tx.write(sql`${updateReturned(id, amount)}`)
}

// Real money only: test credit has a sub-account of its own, which no payout debits.
function movementOf(
  { id, walletId, status }: Payout,
  source: string,
): { event: string; debit: string; credit: string } {
  const [wallet, transit] = [accounts.wallet(walletId), accounts.payout(id)]
  switch (status) {
    case 'REVIEW':
    case 'REQUESTED':
      return { event: 'requested', debit: wallet, credit: transit }
    case 'PAID':
      return { event: 'paid', debit: transit, credit: source }
    case 'RETURNED':
      return { event: 'returned', debit: source, credit: wallet }
    case 'CANCELED':
    case 'FAILED':
      return { event: status.toLowerCase(), debit: transit, credit: wallet }
    default:
      throw new Error(`no posting belongs to a payout in ${status}`)
  }
}
