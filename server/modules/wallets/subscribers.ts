import type { Tx } from '#platform/kernel/db'
import { createWallet } from './wallet.ts'

/** Creates the dollar wallet of a new account. */
export async function createWalletOfNewAccount(
  tx: Tx,
  event: {
    accountId: string
    walletType?: 'MANAGED' | 'PROVIDED'
    walletAddress?: string
  },
): Promise<void> {
  await createWallet(tx, {
    ownerType: 'USER',
    ownerId: event.accountId,
    accountId: event.accountId,
    walletType: event.walletType,
    cryptoAddress: event.walletAddress,
  })
}

/** Creates the dollar wallet of a new organization. */
export async function createWalletOfNewOrganization(
  tx: Tx,
  { organizationId }: { organizationId: string },
): Promise<void> {
  await createWallet(tx, { ownerType: 'ORGANIZATION', ownerId: organizationId, accountId: organizationId })
}
