import type { Queryable, Tx } from '#platform/db'
import { fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/id'
import type { Services } from '#platform/services'
import { accountByUsername, type Account } from './account.ts'
import { IDENTITY } from './faults.ts'
import { requestMail } from './mail-request.ts'
import { auditOrganization, requireRoomToOwn } from './organization.ts'
import { demandMembership, lockMembership, requireMayGive, STAFF } from './organization-role.ts'
import type { Origin } from './session.ts'
import { lockAccount } from './sql/accounts.ts'
import * as statements from './sql/invitations.ts'
import * as organizations from './sql/organizations.ts'
import type { Member, OrganizationRole, OwnOrganization } from './sql/organizations.ts'
import { demandStepUp } from './step-up.ts'

export interface Invited {
  slug: string
  /** By user name or id. Not by email address: any response would tell whether it is registered. */
  username?: string
  userId?: string
  role: OrganizationRole
  origin: Origin
}

/**
 * Invites a person, by OWNER or ADMIN; an OWNER is invited by an OWNER alone. A further invitation replaces the role.
 * 403 without a fresh proof, 404 for an unknown person, 409 for a member.
 */
export async function inviteMember(tx: Tx, services: Services, actor: Actor, invited: Invited): Promise<Member> {
  const { slug, username, userId, role, origin } = invited
  if ((username === undefined) === (userId === undefined)) throw invalid('give either username or userId')
  await demandMembership(tx, actor, slug, STAFF)
  await demandStepUp(tx, actor, tx.clock.real())
  const id = username === undefined ? userId : (await accountByUsername(tx, username))?.id
  // The account before the organization, as its deletion locks them: nobody is invited who is being deleted.
  const account = id !== undefined && isId(id) ? await tx.maybe(lockAccount(id)) : undefined
  if (!account || account.status === 'DELETED') throw fault(IDENTITY.USER_NOT_FOUND)
  const { organization, role: own } = await lockMembership(tx, actor, slug, STAFF)
  requireMayGive(own, role)
  if (await tx.maybe(organizations.roleOf(organization.id, account.id))) throw fault(IDENTITY.MEMBER_EXISTS)
  const event = { organizationId: organization.id, role, origin }
  await putInvitation(tx, services, actor, { ...event, account, slug, byUsername: username !== undefined })
  return tx.one(organizations.memberOf(organization.id, account.id))
}

/** Asks a person to take a role; tells the person by mail. The caller holds the locks. */
export async function putInvitation(
  tx: Tx,
  services: Services,
  actor: Actor,
  invitation: { organizationId: string; slug: string; account: Account; role: OrganizationRole; byUsername: boolean; origin: Origin },
): Promise<void> {
  const { organizationId, slug, account, role, byUsername, origin } = invitation
  const row = { organizationId, accountId: account.id, role, invitedBy: actor.accountId, byUsername, now: tx.now }
  const { isNew } = await tx.one(statements.putInvitation(row))
  await note(tx, actor, { action: 'invited', organizationId, userId: account.id, role, origin })
  if (isNew && account.email)
    await requestMail(services, tx, { kind: 'invitation', accountId: account.id, to: account.email, slug, ip: origin.ip })
}

/** The invitations of the caller, newest first. */
export async function ownInvitations(q: Queryable, actor: Actor, page: Page) {
  const invitations = await q.rows(statements.invitationsOf(actor.accountId, page))
  return { invitations, ...(await q.one(statements.countInvitationsOf(actor.accountId, TOTAL_CAP + 1))) }
}

export interface Answering {
  slug: string
  origin: Origin
}

/** The caller takes the role of an invitation; 404 without one, 409 for an OWNER of too many. */
export async function acceptInvitation(tx: Tx, actor: Actor, { slug, origin }: Answering): Promise<OwnOrganization> {
  const { organization, role } = await lockInvitation(tx, actor, slug)
  if (role === 'OWNER') await requireRoomToOwn(tx, actor.accountId)
  const present = await tx.maybe(organizations.roleOf(organization.id, actor.accountId))
  if (present) await tx.run(organizations.setMemberRole(organization.id, actor.accountId, role, tx.now))
  else await tx.run(organizations.insertMember(organization.id, actor.accountId, role, tx.now))
  await tx.run(statements.deleteInvitation(organization.id, actor.accountId))
  const event = { organizationId: organization.id, userId: actor.accountId, role, origin }
  await note(tx, actor, { ...event, action: present ? 'role_changed' : 'joined' })
  return { ...organization, role }
}

/** The caller turns an invitation down; 404 without one. */
export async function declineInvitation(tx: Tx, actor: Actor, { slug, origin }: Answering): Promise<void> {
  const { organization, role } = await lockInvitation(tx, actor, slug)
  await tx.run(statements.deleteInvitation(organization.id, actor.accountId))
  const event = { organizationId: organization.id, userId: actor.accountId, role, origin }
  await note(tx, actor, { ...event, action: 'declined' })
}

// An organization that the caller is not invited to is as good as unknown.
async function lockInvitation(tx: Tx, actor: Actor, slug: string) {
  await tx.run(lockAccount(actor.accountId))
  const organization = await tx.maybe(organizations.organizationBySlug(slug))
  if (organization) await tx.run(organizations.lockOrganization(organization.id))
  const invitation = organization && (await tx.maybe(statements.invitationFor(organization.id, actor.accountId)))
  if (!invitation) throw fault(IDENTITY.INVITATION_NOT_FOUND)
  return { organization, role: invitation.role }
}

const note = (
  tx: Tx,
  actor: Actor,
  { action, organizationId, userId, role, origin }: {
    action: 'invited' | 'joined' | 'declined' | 'role_changed'
    organizationId: string
    userId: string
    role: OrganizationRole
    origin: Origin
  },
): Promise<void> =>
  auditOrganization(tx, actor, { action: `organization.member_${action}`, organizationId, origin, details: { userId, to: role } })
