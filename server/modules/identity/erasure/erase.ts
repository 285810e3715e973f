import { eraseAuditDetails } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import type { SqlPart } from '#platform/kernel/sql'
import { eraseStoredResponses } from '#platform/kernel/idempotency'
import { eraseMails } from '#platform/adapters/mail/sandbox-mailbox'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import { eraseApprovalTextsOf } from '../approvals/approval.ts'
import { invalidateCredentialCache } from '../credentials/authenticator.ts'
import { revokeKeys } from '../credentials/key-lifecycle.ts'
import { endLinks } from '../mail/link.ts'
import { eraseMailRequests } from '../mail/mail-request.ts'
import { endSessions } from '../credentials/session.ts'
import * as statements from '../account/sql.ts'
import * as erasures from './sql.ts'

/** Locks an account for its deletion. */
export const lockToErase = (tx: Tx, accountId: string): Promise<Account> =>
  tx.one(statements.lockAccount(accountId))

/**
 * Revokes every credential of a locked account, erases what identifies its person and what the person wrote in
 * this module, and pseudonymizes the row, which stays for the financial records. The account is DELETED afterwards;
 * one that is DELETED already is erased again.
 */
export async function eraseAccount(
  tx: Tx,
  services: Pick<Services, 'secrets'>,
  account: Account,
): Promise<void> {
  const { id } = account
  await eraseApprovalTextsOf(tx, id)
  // Also what other modules gave out, such as claim links: they must not outlive the account.
  await endLinks(tx, id)
  await revokeKeys(tx, { by: ['account', id] }, { accountId: id })
  await endSessions(tx, id, 'account_deleted')
  await eraseMails(tx, id)
  await eraseMailRequests(tx, services, account)
  for (const statement of erasures.eraseAccount(id, tx.now)) await tx.run(statement)
  await eraseStoredResponses(tx, id)
  await eraseAuditDetails(tx, id)
  await invalidateCredentialCache(tx)
}

/** Returns which of some accounts are deleted, and which of some organizations are closed. */
export const deletedAmong = async (q: Queryable, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await q.rows(erasures.deletedAmong(ids))).map(row => row.id))

/**
 * Keeps accounts from being deleted until this transaction ends: all those named, and those of `others`, a subquery of
 * ids. Returns the status of each.
 */
export async function lockAgainstDeletion(
  tx: Tx,
  accountIds: readonly string[],
  others?: SqlPart,
): Promise<Map<string, string>> {
  const rows = await tx.rows(statements.lockAccountsForShare([...new Set(accountIds)], others))
  return new Map(rows.map(({ id, status }) => [id, status]))
}
