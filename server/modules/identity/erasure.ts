import { audit, forgetInAudit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { forgetReplays } from '#platform/idempotency'
import { forgetMails } from '#platform/mail/outbox'
import { isTelling, Names, type ChosenName } from '#platform/names'
import { react } from '#platform/reactions'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import { forgetApprovals } from './approval.ts'
import { forgetCredentials } from './authenticator.ts'
import { revokeKeys } from './key-life.ts'
import { leaveOrganizations } from './organization-end.ts'
import { forgetMailRequests } from './mail-request.ts'
import { endSessions } from './session.ts'
import * as statements from './sql/accounts.ts'
import * as erasures from './sql/erasure.ts'
import { runBy } from './sql/organizations.ts'

/**
 * Forgets the person behind an account: announces `account.deleted`, ends every credential, and removes what names or
 * finds the person. The row stays for the books, without a name.
 */
export async function eraseAccount(tx: Tx, services: Pick<Services, 'secrets'>, accountId: string): Promise<void> {
  const account = await tx.maybe(statements.lockAccount(accountId))
  if (!account || account.status === 'DELETED') return
  const names = await namesOf(tx, account)
  await react(tx, 'account.deleted', { accountId, names })
  await forgetApprovals(tx, accountId, names)
  await leaveOrganizations(tx, accountId)
  await revokeKeys(tx, { accountId }, { actorId: accountId, actorKind: 'account' })
  await endSessions(tx, accountId, 'account_deleted')
  await forgetMails(tx, accountId)
  await forgetMailRequests(tx, services, account)
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

/** By what others' texts may name the person: its own names, and what upper modules know (wallets, listings). */
async function namesOf(tx: Tx, { id, email, username, displayName }: Account): Promise<Names> {
  const { data } = await react(tx, 'account.names_asked', { accountId: id })
  const { addresses = [], listings = [] } = data as { addresses?: string[]; listings?: ChosenName[] }
  const { at: since } = await tx.one(statements.nameSince(id))
  return new Names(
    [email, nameOfUser(username ?? ''), ...addresses],
    [{ word: displayName, since }, ...listings].filter(({ word }) => word !== username && isTelling(word)),
  )
}

// A username that is one plain word (refund, summary) is somebody only where it is mentioned as such.
const nameOfUser = (username: string): string => (/^[a-z]+$/.test(username) ? `@${username}` : username)

/** Which of some accounts are deleted, and which of some organizations closed. */
export const deletedAmong = async (q: Queryable, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await q.rows(erasures.deletedAmong(ids))).map(row => row.id))

/** Keeps accounts from being deleted until this transaction ends; returns those that are deleted already. */
export async function lockAgainstDeletion(tx: Tx, accountIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows(statements.lockAccountsForShare([...new Set(accountIds)]))
  return new Set(rows.filter(({ status }) => status === 'DELETED').map(({ id }) => id))
}

/** Who is an admin: their stored answers may show anybody. */
export const adminIds = async (q: Queryable): Promise<string[]> =>
  (await q.rows(erasures.admins())).map(row => row.id)

/** The organizations for which an account may have acted. */
export const organizationsBehind = async (q: Queryable, accountId: string): Promise<string[]> =>
  (await q.rows(runBy(accountId))).map(row => row.id)
