import { adminIds } from '#identity'
import { forgetMemosBy, forgetMemosNaming } from '#ledger'
import type { Tx } from '#platform/db'
import { forgetReplaysAbout } from '#platform/idempotency'
import type { Names } from '#platform/names'
import * as statements from './sql.ts'
import type { Wallet } from './sql.ts'
import { bothPurses } from './wallet.ts'

/** The addresses by which others may name an account. Follows `account.names_asked`. */
export async function addressesOf(tx: Tx, { accountId }: { accountId: string }) {
  const wallets = await tx.rows(statements.walletsOfAccount(accountId))
  return { data: { addresses: wallets.map(wallet => wallet.cryptoAddress).filter(address => address !== null) } }
}

/**
 * What an account wrote with its payments goes, and what others wrote with theirs where it names the account; so do
 * their stored answers that show it, and those of admins who looked into its wallets.
 */
export async function forgetTexts(tx: Tx, { accountId, names, wallets }: { accountId: string; names: Names; wallets: readonly Wallet[] }): Promise<void> {
  await forgetMemosBy(tx, accountId)
  const gone = await forgetMemosNaming(tx, wallets.flatMap(bothPurses), names)
  await forgetReplaysAbout(tx, gone.map(memo => memo.authorId), gone.map(memo => memo.journalId))
  await forgetReplaysAbout(tx, await adminIds(tx), wallets.map(wallet => wallet.id))
}
