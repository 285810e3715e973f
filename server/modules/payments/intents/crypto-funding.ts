import type { Static } from '#platform/http/type'
import { walletHistory, type Transaction, type Wallet } from '#wallets'
import { DAY, SECOND } from '#platform/kernel/clock'
import { apiError, invalid } from '#platform/kernel/errors'
import type { Db } from '#platform/kernel/db'
import { formatMoney, parseAmount, type Asset } from '#platform/kernel/money'
import { definePort } from '#platform/kernel/ports'
import type { Services } from '#platform/kernel/services'
import { PAYMENTS } from '../errors.ts'

export interface CryptoOrder {
  /** Id of the payment: the same id does nothing twice. */
  paymentId: string
  walletId: string
  accountId: string
  /** Micro-units of the asset. */
  amount: bigint
  description: string
}

/** What has to be paid to fund a wallet on a chain, and where. */
export interface CryptoRequest {
  /** The address of this payment alone. */
  to: string
  network: string
  /** Where an x402 client pays. */
  payUrl: string
  statusUrl: string
  expiresAt: Date
}

/**
 * Starts a payment on a chain whose destination is WALLET_FUNDING; its final transfer credits the wallet. Null if this
 * server has no chain.
 */
export const cryptoFunding = definePort<CryptoOrder, CryptoRequest | null, Db>(
  'payments.crypto-funding',
  'one',
)

const ASSET: Asset = 'USDC'
/** For each account: the chain is read for the address of each request for a month. */
const REQUESTS_A_DAY = 200

interface Funding {
  wallet: Wallet
  accountId: string
  request: { paymentId: string; amount: number | string; paymentMethodId?: string; returnUrl?: string }
}

/** Requests a payment in USDC to a wallet. ApiErrors: 400 for a wallet of another currency, and without a chain; 429 beyond REQUESTS_A_DAY. */
export async function fundOnChain({ db, clock, limits }: Services, { wallet, accountId, request }: Funding) {
  const { paymentId, paymentMethodId, returnUrl } = request
  if (paymentMethodId !== undefined || returnUrl !== undefined)
    throw invalid('rail x402 takes no paymentMethodId and no returnUrl')
  const amount = parseAmount(request.amount)
  if (wallet.currency !== ASSET)
    throw apiError(PAYMENTS.RAIL_UNAVAILABLE, {
      hint: `x402 pays in USDC, this wallet is in ${wallet.currency}: fund a USDC wallet, or use rail card`,
    })
  const description = `Wallet ${wallet.id}`
  await limits.requireQuota(`x402-funding:${accountId}`, REQUESTS_A_DAY, DAY / SECOND)
  const requested = await cryptoFunding.call(db, {
    paymentId,
    walletId: wallet.id,
    accountId,
    amount,
    description,
  })
  if (!requested)
    throw apiError(PAYMENTS.RAIL_UNAVAILABLE, {
      hint: 'This server has no chain to be paid on, use rail card',
    })
  const booked = await db.snapshot(q => walletHistory.walletAndTransaction(q, wallet, null))
  const { to, network, payUrl, statusUrl, expiresAt } = requested
  const transaction: Static<typeof Transaction> = {
    id: paymentId,
    type: 'x402_payment',
    status: 'PENDING',
    direction: 'IN',
    amount: formatMoney(amount),
    currency: ASSET,
    test: false,
    balanceAfter: null,
    counterpart: network,
    memo: null,
    reference: { paymentId },
    createdAt: clock.now().toISOString(),
  }
  return {
    wallet: booked.wallet,
    transaction,
    checkout: { id: paymentId, url: payUrl },
    paymentRequest: {
      to,
      amount: formatMoney(amount),
      currency: ASSET,
      network,
      reference: paymentId,
      statusUrl,
      expiresAt: expiresAt.toISOString(),
    },
  }
}
