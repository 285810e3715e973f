import type { Tx } from '#platform/kernel/db'
import { archiveAgentsOf } from './listing/listing.ts'
import { slugOfDeleted } from './listing/slug.ts'
import * as statements from './sql.ts'
import { deleteSecrets } from './webhook-secret/sql.ts'

/**
 * Archives the agents of an account that is being deleted. Erases its listings, the notes on their reviews, and the
 * notes that the account wrote as an operator. A listing that another account has claimed belongs to that account.
 */
export async function eraseAgentsOf(tx: Tx, accountId: string): Promise<void> {
  await archiveAgentsOf(tx, accountId)
  for (const { id } of await tx.rows(statements.agentsOfOwner(accountId))) {
    await tx.run(
      statements.updateAgent(id, {
        slug: slugOfDeleted(id),
        name: 'Deleted agent',
        description: '',
        categories: [],
        tags: [],
        capabilities: [],
        fulfillmentTypes: [],
        role: null,
        conduit: null,
        ap2Endpoint: null,
        inputSchema: null,
        outputSchema: null,
        x402WalletAddress: null,
        presenceStatus: 'offline',
        presenceLoad: null,
        updatedAt: tx.now,
      }),
    )
    await tx.run(statements.eraseNotesOn(id))
    await tx.run(deleteSecrets([id]))
  }
  await tx.run(statements.eraseNotesBy(accountId))
}

/** The agents whose listing is erased with an account. */
export const agentIdsOf = async (tx: Tx, accountId: string): Promise<string[]> =>
  (await tx.rows(statements.agentIdsOfOwner(accountId))).map(({ id }) => id)
