import type { Tx } from '#platform/kernel/db'
import { endMarketOf } from './need.ts'
import { moveNeedsToOwner, moveOffersToOwner, type Claim } from './sql.ts'

/** The open needs and offers of a claimed agent belong to its new owner from now on. */
export async function moveMarketOfClaimedAgent(tx: Tx, claim: Claim): Promise<void> {
  await tx.run(moveNeedsToOwner(claim))
  await tx.run(moveOffersToOwner(claim))
}

/** Subscriber of `agent.archived`: no deal can come of its needs and offers any more. */
export const endMarketOfArchivedAgent = (
  tx: Tx,
  { agentId, ownerId }: { agentId: string; ownerId: string },
): Promise<void> => endMarketOf(tx, ownerId, agentId)
