import { audit, type Author } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { lockAccount } from '../account/sql.ts'
import { revokeKeys } from '../credentials/key-lifecycle.ts'
import { setServiceAccountRevoked } from '../credentials/key-sql.ts'
import { IDENTITY } from '../errors.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import { deleteInvitation } from './invitation-sql.ts'
import { endInvitations, putInvitation, requireMayEndInvitation } from './invitation.ts'
import { lockMembership, requireMayGive, requireMembership, STAFF } from './role.ts'
import { memberView } from './schema.ts'
import * as statements from './sql.ts'
import type { OrganizationRole } from './sql.ts'

/** The members of an organization in the order in which they joined; for members. */
export async function membersOf(q: Queryable, ctx: RequestContext, slug: string, page: Page) {
  const { organization } = await requireMembership(q, ctx, slug)
  const members = await q.rows(statements.members(organization.id, page))
  const { counted } = await q.one(statements.countMembers(organization.id, TOTAL_CAP + 1))
  return pageAnswer(members.map(memberView), counted, page)
}

interface MemberPath {
  slug: string
  userId: string
}

/**
 * Changes the role of a member, by OWNER or ADMIN. Only an OWNER may change who is OWNER or is invited to be, and a member
 * becomes OWNER by accepting an invitation. Errors: 403 without step-up, 409 if no OWNER would be left.
 */
export async function changeMember(
  tx: Tx,
  ctx: RequestContext,
  { slug, userId, role }: MemberPath & { role: OrganizationRole },
  services: Services,
) {
  // The account before the organization, as its deletion locks them.
  const account = isId(userId) ? await tx.maybe(lockAccount(userId)) : undefined
  const membership = await lockMembership(tx, ctx, slug, STAFF)
  const { id } = membership.organization
  await requireStepUp(tx, ctx, tx.clock.real())
  const { role: from } = await requireMember(tx, id, userId)
  requireMayGive(membership.role, role)
  requireMayGive(membership.role, from)
  await requireMayEndInvitation(tx, membership, userId)
  if (role === 'OWNER' && from !== 'OWNER' && account) {
    const invitation = { organizationId: id, slug, account, role, byUsername: false }
    await putInvitation(tx, ctx, invitation, services)
  } else {
    await setRole(tx, ctx, { organizationId: id, userId, from, to: role })
  }
  return memberView(await tx.one(statements.memberOf(id, userId)))
}

interface RoleChange {
  organizationId: string
  userId: string
  from: OrganizationRole
  to: OrganizationRole
}

/** Sets a role, which may be the present one, and deletes a pending offer of the role OWNER to the member. */
async function setRole(
  tx: Tx,
  ctx: RequestContext,
  { organizationId, userId, from, to }: RoleChange,
): Promise<void> {
  const target = ['organization', organizationId] as const
  if ((await tx.run(deleteInvitation(organizationId, userId))) > 0)
    await audit(tx, ctx, 'organization.member_invitation_withdrawn', { target, details: { userId } })
  if (to === from) return
  await tx.run(statements.setMemberRole(organizationId, userId, to, tx.now))
  await endInvitations(tx, ctx, organizationId)
  if (!STAFF.includes(to)) await revokeKeysOfMember(tx, ctx, organizationId, userId)
  const details = { userId, from, to }
  await audit(tx, ctx, 'organization.member_role_changed', { target, details })
}

/**
 * Removes a member or withdraws an invitation, by OWNER or ADMIN; or the caller leaves. Errors: 403 without step-up and to
 * an ADMIN who removes or withdraws an OWNER, 409 if no OWNER would be left.
 */
export async function removeMember(tx: Tx, ctx: RequestContext, { slug, userId }: MemberPath): Promise<void> {
  const leaves = userId === ctx.principal.accountId
  const membership = await lockMembership(tx, ctx, slug, leaves ? undefined : STAFF)
  const { id } = membership.organization
  const target = ['organization', id] as const
  await requireStepUp(tx, ctx, tx.clock.real())
  if (!leaves && isId(userId)) await requireMayEndInvitation(tx, membership, userId)
  const withdrawn = isId(userId) && (await tx.run(deleteInvitation(id, userId))) > 0
  if (withdrawn && !(await tx.maybe(statements.roleOf(id, userId)))) {
    await audit(tx, ctx, 'organization.member_invitation_withdrawn', { target, details: { userId } })
    return
  }
  const { role } = await requireMember(tx, id, userId)
  if (!leaves) requireMayGive(membership.role, role)
  await tx.run(statements.deleteMember(id, userId))
  await endInvitations(tx, ctx, id)
  await revokeKeysOfMember(tx, ctx, id, userId)
  const action = leaves ? 'organization.member_left' : 'organization.member_removed'
  await audit(tx, ctx, action, { target, details: { userId, role } })
}

/** Revokes the keys that a person made for an organization; call it after the change of the role, to miss no new key. */
export async function revokeKeysOfMember(
  tx: Tx,
  author: Author,
  organizationId: string,
  accountId: string,
): Promise<void> {
  for (const { id } of await tx.rows(statements.serviceAccountsOfMember(organizationId, accountId))) {
    await revokeKeys(tx, author, { serviceAccountId: id })
    await tx.run(setServiceAccountRevoked(id, tx.now))
  }
}

async function requireMember(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<{ role: OrganizationRole }> {
  const member = isId(userId) ? await tx.maybe(statements.roleOf(organizationId, userId)) : undefined
  if (!member) throw apiError(IDENTITY.MEMBER_NOT_FOUND)
  return member
}
