import type { Tx } from '#platform/kernel/db'
import type { Asset } from '#platform/kernel/money'
import * as statements from './sql.ts'

/** Erases the memos that an account wrote; journals, amounts and hashes stay, and the chain still verifies. */
export const eraseMemosBy = (tx: Tx, author: string): Promise<number> =>
  tx.run(statements.deleteMemosBy(author))

/** Takes all freezes from the accounts of a closed wallet: what still arrives there must be able to leave. */
export async function unfreezeClosedAccounts(
  tx: Tx,
  accounts: readonly string[],
  asset: Asset,
): Promise<void> {
  await tx.run(statements.removeFreezes(accounts, asset))
}
