import type { Tx } from '#platform/db'
import { lockLiveDealsOf, moveDealsToOwner } from './sql.ts'

/** Follows `agent.locking`: negotiations come before agents in the global lock order. */
export async function lockDealsOfAgent(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await tx.run(lockLiveDealsOf(agentId))
}

/** Follows `agent.claimed`: the agent's running deals are its owner's from now on. */
export async function moveDealsOf(tx: Tx, { agentId, accountId }: { agentId: string; accountId: string }): Promise<void> {
  await tx.run(moveDealsToOwner(agentId, accountId))
}
