import type { cardPayments } from '#payments'
import type { Db } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { hasChain } from '../chain/open.ts'
import { startX402Payment } from './order.ts'

/** A payment to an address of its own that credits a wallet. Null without a node. */
export const requestWalletFunding =
  (services: Services) =>
  async (db: Db, order: cardPayments.CryptoOrder): Promise<cardPayments.CryptoRequest | null> => {
    if (!hasChain(services)) return null
    const { paymentId: id, walletId: reference, accountId, amount, description } = order
    const { payTo, network, payUrl, statusUrl, expiresAt } = await db.transaction(tx =>
      startX402Payment(tx, services, {
        id,
        purpose: 'WALLET_FUNDING',
        reference,
        accountId,
        amount,
        description,
      }),
    )
    return { to: payTo, network, payUrl, statusUrl, expiresAt }
  }
