import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { accountByUsername, type Account } from '../account/account.ts'
import { lockAccount } from '../account/sql.ts'
import { IDENTITY } from '../errors.ts'
import { requestMail } from '../mail/mail-request.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import * as statements from './invitation-sql.ts'
import { requireFewerOrganizations } from './organization.ts'
import { lockMembership, requireMayGive, requireMembership, STAFF, type Membership } from './role.ts'
import { invitationView, memberView, organizationView } from './schema.ts'
import * as organizations from './sql.ts'
import type { OrganizationRole } from './sql.ts'

interface Invited {
  slug: string
  /** By user name or id. Not by email address: any response would reveal whether it is registered. */
  username?: string
  userId?: string
  role: OrganizationRole
}

/**
 * Invites a person, by OWNER or ADMIN; an OWNER is invited by an OWNER alone. A further invitation replaces the role,
 * that of an OWNER by an OWNER alone. Errors: 403 without step-up, 404 for an unknown person, 409 for a member.
 */
export async function inviteMember(
  tx: Tx,
  ctx: RequestContext,
  { slug, username, userId, role }: Invited,
  services: Services,
) {
  if ((username === undefined) === (userId === undefined)) throw invalid('send either username or userId')
  await requireMembership(tx, ctx, slug, STAFF)
  await requireStepUp(tx, ctx, tx.clock.real())
  const id = username === undefined ? userId : (await accountByUsername(tx, username))?.id
  // The account before the organization, as its deletion locks them: an account under deletion cannot be invited.
  const account = id !== undefined && isId(id) ? await tx.maybe(lockAccount(id)) : undefined
  if (!account || account.status === 'DELETED') throw apiError(IDENTITY.USER_NOT_FOUND)
  const membership = await lockMembership(tx, ctx, slug, STAFF)
  const { id: organizationId } = membership.organization
  requireMayGive(membership.role, role)
  if (await tx.maybe(organizations.roleOf(organizationId, account.id))) throw apiError(IDENTITY.MEMBER_EXISTS)
  await requireMayEndInvitation(tx, membership, account.id)
  const invitation = { organizationId, slug, account, role, byUsername: username !== undefined }
  await putInvitation(tx, ctx, invitation, services)
  return memberView(await tx.one(organizations.memberOf(organizationId, account.id)))
}

interface NewInvitation {
  organizationId: string
  slug: string
  account: Account
  role: OrganizationRole
  byUsername: boolean
}

/** Offers a role to a person and notifies the person by mail. The caller has locked account and organization. */
export async function putInvitation(
  tx: Tx,
  ctx: RequestContext,
  { organizationId, slug, account, role, byUsername }: NewInvitation,
  services: Services,
): Promise<void> {
  await endInvitations(tx, ctx, organizationId)
  const { isNew } = await tx.one(
    statements.putInvitation({
      organizationId,
      accountId: account.id,
      role,
      invitedBy: ctx.principal.accountId,
      byUsername,
      now: tx.now,
    }),
  )
  const details = { userId: account.id, to: role }
  await audit(tx, ctx, 'organization.member_invited', { target: ['organization', organizationId], details })
  if (!isNew || !account.email) return
  const { id: accountId, email: to } = account
  await requestMail(tx, services, { kind: 'invitation', accountId, to, slug, ip: ctx.ip })
}

/** 403 where only an OWNER may replace or withdraw what a person is offered. The caller has locked the organization. */
export async function requireMayEndInvitation(
  tx: Tx,
  { organization, role }: Membership,
  accountId: string,
): Promise<void> {
  const invitation = await tx.maybe(statements.invitationFor(organization.id, accountId))
  if (invitation) requireMayGive(role, invitation.role)
}

/** Ends the invitations whose inviter may no longer give the role. The caller has locked the organization. */
export async function endInvitations(tx: Tx, ctx: RequestContext, organizationId: string): Promise<void> {
  const target = ['organization', organizationId] as const
  for (const { accountId: userId } of await tx.rows(statements.deleteEndedInvitations(organizationId)))
    await audit(tx, ctx, 'organization.member_invitation_withdrawn', { target, details: { userId } })
}

/** The invitations of the caller, newest first. */
export async function ownInvitations(q: Queryable, { principal }: RequestContext, page: Page) {
  const { accountId } = principal
  const invitations = await q.rows(statements.invitationsOf(accountId, page))
  const { counted } = await q.one(statements.countInvitationsOf(accountId, TOTAL_CAP + 1))
  return pageAnswer(invitations.map(invitationView), counted, page)
}

/** The caller accepts the role of an invitation. Errors: 404 without an invitation, 409 for an OWNER of too many. */
export async function acceptInvitation(tx: Tx, ctx: RequestContext, slug: string) {
  const { accountId } = ctx.principal
  const { organization, role } = await lockInvitation(tx, ctx, slug)
  const { id } = organization
  if (role === 'OWNER') await requireFewerOrganizations(tx, accountId)
  const isMember = await tx.maybe(organizations.roleOf(id, accountId))
  if (isMember) await tx.run(organizations.setMemberRole(id, accountId, role, tx.now))
  else await tx.run(organizations.insertMember(id, accountId, role, tx.now))
  await tx.run(statements.deleteInvitation(id, accountId))
  const action = isMember ? 'organization.member_role_changed' : 'organization.member_joined'
  await audit(tx, ctx, action, { target: ['organization', id], details: { userId: accountId, to: role } })
  return organizationView({ ...organization, role })
}

/** The caller declines an invitation; 404 without one. */
export async function declineInvitation(tx: Tx, ctx: RequestContext, slug: string): Promise<void> {
  const { accountId } = ctx.principal
  const { organization, role } = await lockInvitation(tx, ctx, slug)
  await tx.run(statements.deleteInvitation(organization.id, accountId))
  const details = { userId: accountId, to: role }
  await audit(tx, ctx, 'organization.member_declined', { target: ['organization', organization.id], details })
}

// 404 also for an organization that exists: only its members and invited persons may learn of it.
async function lockInvitation(tx: Tx, { principal }: RequestContext, slug: string) {
  const { accountId } = principal
  await tx.run(lockAccount(accountId))
  const organization = await tx.maybe(organizations.organizationBySlug(slug))
  if (organization) await tx.run(organizations.lockOrganization(organization.id))
  const invitation = organization && (await tx.maybe(statements.invitationFor(organization.id, accountId)))
  if (!invitation) throw apiError(IDENTITY.INVITATION_NOT_FOUND)
  return { organization, role: invitation.role }
}
