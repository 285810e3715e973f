import type { Tx } from '#platform/kernel/db'
import { part } from '#platform/kernel/sql'
import { endNeed, endOffers } from './need.ts'
import { moveNeedsToOwner, moveOffersToOwner, openNeedsOfAgent, type Claim } from './sql.ts'

/** The open needs and offers of a claimed agent belong to its new owner from now on. */
export async function moveMarketOfClaimedAgent(tx: Tx, claim: Claim): Promise<void> {
  await tx.run(moveNeedsToOwner(claim))
  await tx.run(moveOffersToOwner(claim))
}

/** Subscriber of `agent.archived`: no deal can come of its needs and offers any more. */
export async function endMarketOfArchivedAgent(
  tx: Tx,
  { agentId, ownerId }: { agentId: string; ownerId: string },
): Promise<void> {
  for (const need of await tx.rows(openNeedsOfAgent(ownerId, agentId)))
    await endNeed(tx, need, { event: 'close', by: 'system' })
  const ofAgent = part`o.account_id = ${ownerId} and o.agent_id = ${agentId}`
  await endOffers(tx, ofAgent, { event: 'withdraw', by: 'system' })
}
