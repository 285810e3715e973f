import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import { agentKeysRevoked } from '../events.ts'

/** Publishes that the keys of a claimed account's agents were revoked with all other keys of the account. */
export async function publishRevokedKeysOfClaimedAccount(
  tx: Tx,
  { agentIds }: { agentIds: readonly string[] },
): Promise<void> {
  for (const agentId of agentIds) await publish(tx, agentKeysRevoked, { agentId })
}
