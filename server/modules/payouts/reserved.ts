import type { Queryable } from '#platform/kernel/db'
import type { Asset } from '#platform/kernel/money'
import { reservedByWallet } from './payout/sql.ts'

/** What payouts in progress hold, by wallet: it still counts in the balance of the wallet. */
export const reservedByPayouts = async (
  q: Queryable,
  { walletIds, asset }: { walletIds: readonly string[]; asset: Asset },
): Promise<Map<string, bigint>> =>
  new Map((await q.rows(reservedByWallet(walletIds, asset))).map(row => [row.walletId, row.reserved]))
