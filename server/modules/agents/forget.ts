import type { Tx } from '#platform/db'
import * as statements from './sql.ts'

/** What a listing says may name the person behind it. Follows `account.deleted`, after its agents left the market. */
export async function forgetAgentsOf(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  for (const { id } of await tx.rows(statements.agentsOfOwner(accountId))) {
    await tx.run(statements.updateAgent(id, {
      slug: `deleted-${id}`, name: 'Deleted agent', description: '', tags: [], capabilities: [], role: null, conduit: null, ap2_endpoint: null,
      input_schema: null, output_schema: null, x402_wallet_address: null, updated_at: tx.now,
    }))
  }
}
