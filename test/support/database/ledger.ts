import { accounts, openAccounts, post } from '#ledger'
import { newId } from '../../../server/platform/kernel/id.ts'
import type { Leg } from '../../../server/platform/kernel/money.ts'
import type { TestDb } from './db.ts'

export const usd = (debit: string, credit: string, amount: bigint): Leg => ({
  debit,
  credit,
  amount,
  asset: 'USD',
})

/** A wallet with some money, and an escrow, both new. */
export async function walletAndEscrow(
  { db }: Pick<TestDb, 'db'>,
  funds = 100n,
): Promise<{ wallet: string; escrow: string }> {
  const wallet = accounts.wallet(newId())
  const escrow = accounts.escrow(newId())
  await db.transaction(async tx => {
    await openAccounts(tx, [
      { account: wallet, asset: 'USD' },
      { account: escrow, asset: 'USD' },
    ])
    await post(tx, { kind: 'fund', key: newId(), legs: [usd(accounts.processor, wallet, funds)] })
  })
  return { wallet, escrow }
}
