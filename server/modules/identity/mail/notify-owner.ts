import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import { requestMail } from './mail-request.ts'

/**
 * Notifies the owner of an account by mail of a change, at the address of the given row: after a change of
 * address that is the old one. `what` is a text of the service. Without an address it does nothing.
 */
export async function notifyOwner(
  tx: Tx,
  services: Pick<Services, 'jobs' | 'secrets'>,
  { id, email }: Pick<Account, 'id' | 'email'>,
  what: string,
): Promise<void> {
  if (email) await requestMail(tx, services, { kind: 'notice', accountId: id, to: email, what })
}
