import { audit, type Author } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { IDENTITY } from '../errors.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import { deleteInvitationsAbout, deleteInvitationsTo } from './invitation-sql.ts'
import { revokeKeysOfMember } from './member.ts'
import { lockMembership } from './role.ts'
import * as statements from './sql.ts'

/** Locks the organizations of a person and returns those without another member: they close when the person leaves. */
export async function lockClosingOrganizations(tx: Tx, accountId: string): Promise<string[]> {
  await tx.run(statements.lockOrganizationsOf(accountId))
  return (await tx.rows(statements.organizationsOnlyOf(accountId))).map(({ id }) => id)
}

/**
 * Removes a person who is being deleted from every organization. One without another OWNER passes to the member who
 * has been an ADMIN the longest, else a MEMBER; one without another member is closed.
 */
export async function leaveOrganizations(tx: Tx, accountId: string): Promise<void> {
  await tx.run(deleteInvitationsAbout(accountId))
  for (const { id } of await tx.rows(statements.lockOrganizationsOf(accountId)))
    await leave(tx, { by: ['jwt', accountId] }, id, accountId)
}

/**
 * Locks an organization that its OWNER closes and returns its id. Errors: 403 without step-up or for another role, 409
 * while it has another member.
 */
export async function lockOrganizationToClose(tx: Tx, ctx: RequestContext, slug: string): Promise<string> {
  const { organization } = await lockMembership(tx, ctx, slug, ['OWNER'])
  await requireStepUp(tx, ctx, tx.clock.real())
  if (await tx.maybe(statements.successor(organization.id, ctx.principal.accountId)))
    throw apiError(IDENTITY.ORGANIZATION_NOT_EMPTY, { hint: 'Remove the other members first' })
  return organization.id
}

/** Closes an organization that `lockOrganizationToClose` has locked: its name is erased and its slug is free again. */
export const closeOrganization = (tx: Tx, ctx: RequestContext, id: string): Promise<void> =>
  leave(tx, ctx, id, ctx.principal.accountId)

async function leave(tx: Tx, author: Author, organizationId: string, accountId: string): Promise<void> {
  const member = await tx.maybe(statements.roleOf(organizationId, accountId))
  // Another member removed the person while this transaction waited for the lock.
  if (!member) return
  const next = await tx.maybe(statements.successor(organizationId, accountId))
  const target = ['organization', organizationId] as const
  if (!next) {
    await tx.run(statements.closeOrganization(organizationId, tx.now))
    await tx.run(deleteInvitationsTo(organizationId))
  } else if (member.role === 'OWNER' && next.role !== 'OWNER') {
    await tx.run(statements.setMemberRole(organizationId, next.accountId, 'OWNER', tx.now))
    const details = { userId: next.accountId, from: next.role, to: 'OWNER' }
    await audit(tx, author, 'organization.member_role_changed', { target, details })
  }
  await tx.run(statements.deleteMember(organizationId, accountId))
  await revokeKeysOfMember(tx, author, organizationId, accountId)
  const details = { userId: accountId, role: member.role }
  await audit(tx, author, 'organization.member_left', { target, details })
  if (!next) await audit(tx, author, 'organization.closed', { target })
}
