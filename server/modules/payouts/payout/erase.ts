import { erasure } from '#identity'
import { eraseFailedSendings } from '#x402'
import type { Tx } from '#platform/kernel/db'
import * as statements from './sql.ts'
import type { Payout } from './sql.ts'

/** Erases what the ended payouts of accounts and organizations contain beside amounts, states and where money went. */
export async function erasePayoutsOf(tx: Tx, accountIds: readonly string[]): Promise<void> {
  const payouts = await tx.rows(statements.eraseTexts(accountIds))
  await eraseFailedSendings(
    tx,
    payouts.map(({ id }) => id),
  )
}

/** The same for a payout that ends after its owner was deleted. */
export async function eraseIfOwnerDeleted(tx: Tx, { accountId }: Payout): Promise<void> {
  if ((await erasure.deletedAmong(tx, [accountId])).size) await erasePayoutsOf(tx, [accountId])
}
