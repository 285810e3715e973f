import type { Tx } from '#platform/kernel/db'
import { deleteMessagesOf, eraseTasksOf } from './protocol/sql.ts'
import { eraseRequestsOf } from './requests/request.ts'

/** Ends the requests that wait for a deleted account or its agents, and erases what the account wrote. */
export async function eraseA2aTextOf(tx: Tx, accountId: string): Promise<void> {
  await eraseRequestsOf(tx, accountId)
  await tx.run(eraseTasksOf(accountId))
  await tx.run(deleteMessagesOf(accountId))
}
