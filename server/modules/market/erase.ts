import type { Tx } from '#platform/kernel/db'
import { part } from '#platform/kernel/sql'
import { endNeed, endOffers } from './need.ts'
import { eraseNeedsOf, eraseOffersOf, openNeedsOf } from './sql.ts'

/** Closes the needs and withdraws the offers of an account that is being deleted, and erases their text. */
export async function eraseMarketOf(tx: Tx, accountId: string): Promise<void> {
  for (const need of await tx.rows(openNeedsOf(accountId)))
    await endNeed(tx, need, { event: 'close', by: 'system' })
  await endOffers(tx, part`o.account_id = ${accountId}`, { event: 'withdraw', by: 'system' })
  await tx.run(eraseNeedsOf(accountId))
  await tx.run(eraseOffersOf(accountId))
}
