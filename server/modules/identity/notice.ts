import type { Tx } from '#platform/db'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import { requestMail } from './mail-request.ts'

/**
 * Tells the owner of an account by mail what was changed, at the address that the given row has: after a change of
 * address that is the old one. `what` is our own text. Without an address nobody is told.
 */
export async function tellOwner(
  tx: Tx,
  services: Pick<Services, 'jobs' | 'secrets'>,
  { id, email }: Pick<Account, 'id' | 'email'>,
  what: string,
): Promise<void> {
  if (email) await requestMail(services, tx, { kind: 'notice', accountId: id, to: email, what })
}
