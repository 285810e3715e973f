import type { Tx } from '#platform/db'
import { react } from '#platform/reactions'

/** The keys of the account's agents ended: their deals stand still. Follows `account.claimed`. */
export async function onAccountClaimed(tx: Tx, { agentIds }: { agentIds: readonly string[] }): Promise<void> {
  for (const agentId of agentIds) await react(tx, 'agent.keys_revoked', { agentId })
}
