import type { Tx } from '#platform/kernel/db'
import { deleteEventsOf } from './events/sql.ts'
import { deletePreferences } from './mail/sql.ts'
import { deleteEndpointsOf } from './webhook/sql.ts'

/** Deletes the events, the webhook and its deliveries of the agents of an account that is being deleted. */
export async function eraseNotificationsOf(
  tx: Tx,
  accountId: string,
  agentIds: readonly string[],
): Promise<void> {
  await tx.run(deletePreferences(accountId))
  await tx.run(deleteEndpointsOf(agentIds))
  await tx.run(deleteEventsOf(agentIds))
}
