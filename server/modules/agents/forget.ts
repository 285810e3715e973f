import type { Tx } from '#platform/db'
import type { ChosenName } from '#platform/names'
import * as statements from './sql.ts'

/** The names of its listings by which others may mean an account. Follows `account.names_asked`. */
export async function listingNamesOf(tx: Tx, { accountId }: { accountId: string }) {
  const listings = await tx.rows(statements.listingsOf(accountId))
  const named = listings.flatMap(({ slug, name, since }): ChosenName[] => [slug, name].map(word => ({ word, since })))
  return { data: { listings: named, addresses: listings.flatMap(({ address }) => address ?? []) } }
}

/**
 * What a listing says may name the person behind it; so may the notes on its way. Follows `account.deleted`, after its
 * agents left the market. A listing that somebody else has claimed is theirs.
 */
export async function forgetAgentsOf(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  for (const { id } of await tx.rows(statements.agentsOfOwner(accountId))) {
    await tx.run(statements.updateAgent(id, {
      slug: `deleted-${id}`, name: 'Deleted agent', description: '', categories: [], tags: [], capabilities: [],
      fulfillment_types: [], role: null, conduit: null, ap2_endpoint: null, input_schema: null, output_schema: null,
      x402_wallet_address: null, presence_status: 'offline', presence_load: null, updated_at: tx.now,
    }))
    await tx.run(statements.forgetNotesOn(id))
  }
  await tx.run(statements.forgetNotesBy(accountId))
}
