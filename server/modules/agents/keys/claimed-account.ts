import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import type { Services } from '#platform/kernel/services'
import { agentKeysRevoked } from '../events.ts'
import { agentIdsOfOwner } from '../sql.ts'
import { replaceKnownSecrets } from '../webhook-secret/webhook-secret.ts'

/**
 * Ends what the registrant of a claimed account knows of its agents. Their webhook secrets are replaced by ones that
 * nobody was shown. Publishes that their keys were revoked with all other keys of the account.
 */
export async function endAgentSecretsOfClaimedAccount(
  tx: Tx,
  services: Pick<Services, 'secrets'>,
  { accountId, agentIds }: { accountId: string; agentIds: readonly string[] },
): Promise<void> {
  for (const { id } of await tx.rows(agentIdsOfOwner(accountId)))
    await replaceKnownSecrets(tx, services, id, null)
  for (const agentId of agentIds) await publish(tx, agentKeysRevoked, { agentId })
}
