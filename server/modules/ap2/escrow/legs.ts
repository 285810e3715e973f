import { accounts } from '#ledger'
import { creditAccount } from '#wallets'
import type { Asset, Leg } from '#platform/kernel/money'

export interface Holding {
  id: string
  buyerWalletId: string
  sellerWalletId: string
  currency: Asset
  test: boolean
}

const nonZero = (legs: readonly Leg[]): Leg[] => legs.filter(leg => leg.amount > 0n)

/** Into escrow, from the sub-account that pays. */
export const holdLegs = (escrow: Holding, subAccount: string, amount: bigint): Leg[] => [
  { debit: subAccount, credit: accounts.escrow(escrow.id), amount, asset: escrow.currency },
]

/** Legs to the seller, less the fee. A fee in test credit returns to the promotion account: it is not revenue. */
export function releaseLegs(escrow: Holding, amount: bigint, fee: bigint): Leg[] {
  const debit = accounts.escrow(escrow.id)
  const seller = creditAccount({ id: escrow.sellerWalletId }, escrow.test)
  return nonZero([
    { debit, credit: seller, amount: amount - fee, asset: escrow.currency },
    {
      debit,
      credit: escrow.test ? accounts.testFloat : accounts.marketplaceFee,
      amount: fee,
      asset: escrow.currency,
    },
  ])
}

/** Back to the sub-account that paid, `toCard` of it to the card; a refund has no fee. */
export function refundLegs(escrow: Holding, amount: bigint, toCard = 0n): Leg[] {
  const debit = accounts.escrow(escrow.id)
  const wallet = creditAccount({ id: escrow.buyerWalletId }, escrow.test)
  return nonZero([
    { debit, credit: accounts.processor, amount: toCard, asset: escrow.currency },
    { debit, credit: wallet, amount: amount - toCard, asset: escrow.currency },
  ])
}
