import type { Queryable } from '#platform/kernel/db'
import type { Asset } from '#platform/kernel/money'
import { reservedOf } from './sql.ts'

/** What buyers hold in live escrows, by wallet: it still counts in the balance of the buyer's wallet. */
export const reservedByEscrows = async (
  q: Queryable,
  { walletIds, asset }: { walletIds: readonly string[]; asset: Asset },
): Promise<Map<string, bigint>> =>
  new Map((await q.rows(reservedOf(walletIds, asset))).map(row => [row.walletId, row.reserved]))
