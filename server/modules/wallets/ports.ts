import type { ledgerOwners } from '#ledger'
import type { Queryable } from '#platform/kernel/db'
import type { Asset, Leg } from '#platform/kernel/money'
import { definePort } from '#platform/kernel/ports'
import type { Wallet } from './sql.ts'

/** What wallets still own although it left their balances (escrows, payouts under way), by wallet id. */
export const walletReservations = definePort<
  { walletIds: readonly string[]; asset: Asset },
  ReadonlyMap<string, bigint>,
  Queryable
>('wallets.reservations', 'collect')

/** Legs that take what the owner of a wallet owes out of money that comes back to it, for the journal that brings it. */
export const returnRecovery = definePort<{ wallet: Wallet; amount: bigint }, readonly Leg[]>(
  'wallets.return-recovery',
  'collect',
)

/** Which of these addresses upper modules hold the keys of. The addresses have their checksum (EIP-55). */
export const otherHeldAddresses = definePort<{ addresses: readonly string[] }, readonly string[], Queryable>(
  'wallets.held-addresses',
  'collect',
)

/** Whether somebody with a link may still become the owner of an agent, and of its wallet. */
export const isClaimable = definePort<{ agentId: string }, boolean>('wallets.is-claimable', 'one')

/** What went back to cards in one period, and no wallet has a transaction of. */
export interface CardRefundTotal {
  /** First day of the period. */
  period: string
  asset: Asset
  amount: bigint
  count: number
}

/** The refunds to cards of payments through these wallets by period, without those that failed. */
export const cardRefundTotals = definePort<
  ledgerOwners.TotalsQuery & { walletIds: readonly string[] },
  readonly CardRefundTotal[],
  Queryable
>('wallets.card-refund-totals', 'one')
