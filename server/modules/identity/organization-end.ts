import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { react } from '#platform/reactions'
import { IDENTITY } from './faults.ts'
import { endKeysOf } from './organization-member.ts'
import { lockMembership } from './organization-role.ts'
import { auditOrganization } from './organization.ts'
import type { Origin } from './session.ts'
import { deleteInvitationsAbout, deleteInvitationsTo } from './sql/invitations.ts'
import * as statements from './sql/organizations.ts'
import { demandStepUp } from './step-up.ts'

/**
 * A person who is being deleted leaves every organization. One without another OWNER passes to who has been an ADMIN
 * the longest, else a MEMBER; without another member it is closed: `organization.closed` is announced, its name and
 * slug, which are the person's, are forgotten.
 */
export async function leaveOrganizations(tx: Tx, accountId: string): Promise<void> {
  await tx.run(deleteInvitationsAbout(accountId))
  for (const { id } of await tx.rows(statements.lockOrganizationsOf(accountId))) await leave(tx, id, accountId)
}

/**
 * Closes an organization for good, by its OWNER with a fresh proof (403): its slug is free again. 409 while it has another
 * member, or money (`organization.closing`).
 */
export async function closeOwnOrganization(
  tx: Tx,
  actor: Actor,
  { slug, origin }: { slug: string; origin: Origin },
): Promise<void> {
  const { organization } = await lockMembership(tx, actor, slug, ['OWNER'])
  await demandStepUp(tx, actor, tx.clock.real())
  if (await tx.maybe(statements.successor(organization.id, actor.accountId)))
    throw fault(IDENTITY.ORGANIZATION_NOT_EMPTY, { hint: 'Remove the other members first' })
  await react(tx, 'organization.closing', { organizationId: organization.id })
  await leave(tx, organization.id, actor.accountId, origin)
}

async function leave(tx: Tx, organizationId: string, accountId: string, origin?: Origin): Promise<void> {
  const actor = { accountId, kind: 'jwt' } as const
  const left = await tx.maybe(statements.roleOf(organizationId, accountId))
  // Taken out by somebody else while this waited for the lock.
  if (!left) return
  const next = await tx.maybe(statements.successor(organizationId, accountId))
  if (!next) {
    await react(tx, 'organization.closed', { organizationId })
    await tx.run(statements.closeOrganization(organizationId, tx.now))
    await tx.run(deleteInvitationsTo(organizationId))
  } else if (left.role === 'OWNER' && next.role !== 'OWNER') {
    await tx.run(statements.setMemberRole(organizationId, next.accountId, 'OWNER', tx.now))
    const details = { userId: next.accountId, from: next.role, to: 'OWNER' }
    await auditOrganization(tx, actor, { action: 'organization.member_role_changed', organizationId, details })
  }
  await tx.run(statements.deleteMember(organizationId, accountId))
  await endKeysOf(tx, organizationId, accountId, { actorId: accountId, actorKind: 'account' })
  const details = { userId: accountId, role: left.role }
  await auditOrganization(tx, actor, { action: 'organization.member_left', organizationId, origin, details })
  if (!next) await auditOrganization(tx, actor, { action: 'organization.closed', organizationId, origin })
}
