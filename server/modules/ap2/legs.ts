import { accounts } from '#ledger'
import { creditAccount } from '#wallets'
import type { Asset, Leg } from '#platform/money'

export interface Holding { id: string; buyer_wallet_id: string; seller_wallet_id: string; currency: Asset; test: boolean }

const nonZero = (legs: readonly Leg[]): Leg[] => legs.filter(leg => leg.amount > 0n)

/** Into escrow, from the purse that pays. */
export const holdLegs = (escrow: Holding, purse: string, amount: bigint): Leg[] =>
  [{ debit: purse, credit: accounts.escrow(escrow.id), amount, asset: escrow.currency }]

/** To the seller less the fee. In test money the fee goes back to the float that backs it: it is nobody's revenue. */
export function releaseLegs(escrow: Holding, amount: bigint, fee: bigint): Leg[] {
  const debit = accounts.escrow(escrow.id)
  const seller = creditAccount({ id: escrow.seller_wallet_id }, escrow.test)
  return nonZero([
    { debit, credit: seller, amount: amount - fee, asset: escrow.currency },
    { debit, credit: escrow.test ? accounts.testFloat : accounts.marketplaceFee, amount: fee, asset: escrow.currency },
  ])
}

/** Back to the purse it came from; a refund bears no fee. */
export const refundLegs = (escrow: Holding, amount: bigint): Leg[] =>
  nonZero([{
    debit: accounts.escrow(escrow.id), credit: creditAccount({ id: escrow.buyer_wallet_id }, escrow.test), amount,
    asset: escrow.currency,
  }])
