import type { Tx } from '#platform/db'
import { createWallet } from './wallet.ts'

/** Every account has a dollar wallet from its first moment. Follows `account.created`. */
export async function onAccountCreated(tx: Tx, fact: {
  accountId: string; walletType?: 'MANAGED' | 'PROVIDED'; walletAddress?: string
}): Promise<void> {
  await createWallet(tx, {
    ownerType: 'USER', ownerId: fact.accountId, accountId: fact.accountId, walletType: fact.walletType, cryptoAddress: fact.walletAddress,
  })
}
