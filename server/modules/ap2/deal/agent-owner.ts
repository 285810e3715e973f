import type { Tx } from '#platform/kernel/db'
import { lockLiveDealsOf, moveDealsToOwner } from './sql.ts'

/** Locks the live deals of an agent: negotiations come before agents in the global lock order. */
export async function lockDealsOfAgent(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await tx.run(lockLiveDealsOf(agentId))
}

/** The agent's live deals belong to its new owner from now on. */
export async function moveDealsOfClaimedAgent(
  tx: Tx,
  { agentId, accountId }: { agentId: string; accountId: string },
): Promise<void> {
  await tx.run(moveDealsToOwner(agentId, accountId))
}
