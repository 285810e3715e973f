import type { Tx } from '#platform/kernel/db'
import { deletePartyEventsOf } from './events/party-sql.ts'
import { deleteEventsOf } from './events/sql.ts'
import { deleteInbox } from './inbox/sql.ts'
import { deleteChoices } from './preferences/sql.ts'
import { deleteEndpointsOf } from './webhook/sql.ts'

/**
 * Deletes the events of an account that is being deleted and of its agents, with their webhooks and deliveries. `partyIds`:
 * the account, and the organizations that close with it.
 */
export async function eraseNotificationsOf(
  tx: Tx,
  accountId: string,
  { agentIds, partyIds }: { agentIds: readonly string[]; partyIds: readonly string[] },
): Promise<void> {
  await tx.run(deletePartyEventsOf(partyIds))
  await tx.run(deleteChoices(accountId))
  await tx.run(deleteInbox(accountId))
  await tx.run(deleteEndpointsOf(agentIds))
  await tx.run(deleteEventsOf(agentIds))
}
