import type { Tx } from '#platform/kernel/db'
import { endMarketOf } from './need.ts'
import { eraseNeedsOf, eraseOffersOf } from './sql.ts'

/** Closes the needs and withdraws the offers of an account that is being deleted, and erases their text. */
export async function eraseMarketOf(tx: Tx, accountId: string): Promise<void> {
  await endMarketOf(tx, accountId)
  await tx.run(eraseNeedsOf(accountId))
  await tx.run(eraseOffersOf(accountId))
}
