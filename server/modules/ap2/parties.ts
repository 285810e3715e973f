import type { Tx } from '#platform/db'
import { moveDealsToOwner } from './sql.ts'

/** Follows `agent.claimed`: the agent's running deals are its owner's from now on. */
export async function moveDealsOf(tx: Tx, { agentId, accountId }: { agentId: string; accountId: string }): Promise<void> {
  await tx.run(moveDealsToOwner(agentId, accountId))
}
