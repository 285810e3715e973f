import type { Tx } from '#platform/db'
import { react } from '#platform/reactions'
import { endKeysOf } from './organization-member.ts'
import { auditOrganization } from './organization.ts'
import * as statements from './sql/organizations.ts'

/**
 * A person who is being deleted leaves every organization. One without another OWNER passes to who has been an ADMIN
 * the longest, else a MEMBER; without another member it is closed: `organization.closed` is announced, its name and
 * slug, which are the person's, are forgotten.
 */
export async function leaveOrganizations(tx: Tx, accountId: string): Promise<void> {
  for (const { id } of await tx.rows(statements.lockOrganizationsOf(accountId))) await leave(tx, id, accountId)
}

async function leave(tx: Tx, organizationId: string, accountId: string): Promise<void> {
  const actor = { accountId, kind: 'jwt' } as const
  const left = await tx.maybe(statements.roleOf(organizationId, accountId))
  // Taken out by somebody else while this waited for the lock.
  if (!left) return
  const next = await tx.maybe(statements.successor(organizationId, accountId))
  if (!next) {
    await react(tx, 'organization.closed', { organizationId })
    await tx.run(statements.closeOrganization(organizationId, tx.now))
  } else if (left.role === 'OWNER' && next.role !== 'OWNER') {
    await tx.run(statements.setMemberRole(organizationId, next.accountId, 'OWNER', tx.now))
    const details = { userId: next.accountId, from: next.role, to: 'OWNER' }
    await auditOrganization(tx, actor, { action: 'organization.member_role_changed', organizationId, details })
  }
  await tx.run(statements.deleteMember(organizationId, accountId))
  await endKeysOf(tx, organizationId, accountId, { actorId: accountId, actorKind: 'account' })
  const details = { userId: accountId, role: left.role }
  await auditOrganization(tx, actor, { action: 'organization.member_left', organizationId, details })
  if (!next) await auditOrganization(tx, actor, { action: 'organization.closed', organizationId })
}
