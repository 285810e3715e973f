import { audit, forgetInAudit } from '#platform/audit'
import type { Tx } from '#platform/db'
import { forgetReplays } from '#platform/idempotency'
import { forgetMails } from '#platform/mail/outbox'
import { react } from '#platform/reactions'
import type { Services } from '#platform/services'
import { forgetCredentials } from './authenticator.ts'
import { revokeKeys } from './key-life.ts'
import { leaveOrganizations } from './organization-end.ts'
import { endSessions } from './session.ts'
import * as statements from './sql/accounts.ts'
import * as erasures from './sql/erasure.ts'

/**
 * Forgets the person behind an account: announces `account.deleted`, ends every credential, and removes what names or
 * finds the person. The row stays for the books, without a name.
 */
export async function eraseAccount(tx: Tx, services: Pick<Services, 'secrets'>, accountId: string): Promise<void> {
  const account = await tx.maybe(statements.lockAccount(accountId))
  if (!account || account.status === 'DELETED') return
  await react(tx, 'account.deleted', { accountId })
  await leaveOrganizations(tx, accountId)
  await revokeKeys(tx, { accountId }, { actorId: accountId, actorKind: 'account' })
  await endSessions(tx, accountId, 'account_deleted')
  if (account.email) await forgetMails(services, tx, account.email)
  for (const statement of erasures.ofAccount(accountId, tx.now)) await tx.run(statement)
  await forgetReplays(tx, accountId)
  await audit(tx, {
    action: 'account.deleted',
    actorId: accountId,
    actorKind: 'account',
    target: 'account',
    targetId: accountId,
  })
  await forgetInAudit(tx, accountId)
  forgetCredentials(tx)
}
