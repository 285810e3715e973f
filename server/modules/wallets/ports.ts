import type { Queryable } from '#platform/kernel/db'
import type { Asset } from '#platform/kernel/money'
import { definePort } from '#platform/kernel/ports'

/** What wallets still own although it left their balances (escrows, payouts under way), by wallet id. */
export const walletReservations = definePort<
  { walletIds: readonly string[]; asset: Asset },
  ReadonlyMap<string, bigint>,
  Queryable
>('wallets.reservations', 'collect')
