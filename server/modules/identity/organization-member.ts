import type { Queryable, Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/id'
import type { Services } from '#platform/services'
import { IDENTITY } from './faults.ts'
import { revokeKeys, type KeyAuthor } from './key-life.ts'
import { putInvitation } from './organization-invitation.ts'
import { auditOrganization } from './organization.ts'
import { demandMembership, lockMembership, requireMayGive, STAFF } from './organization-role.ts'
import type { Origin } from './session.ts'
import { lockAccount } from './sql/accounts.ts'
import { deleteInvitation } from './sql/invitations.ts'
import { setServiceAccountRevoked } from './sql/keys.ts'
import * as statements from './sql/organizations.ts'
import { demandStepUp } from './step-up.ts'
import type { Member, OrganizationRole } from './sql/organizations.ts'

/** The members, who joined first at the top; for members. */
export async function membersOf(q: Queryable, actor: Actor, slug: string, page: Page) {
  const { organization } = await demandMembership(q, actor, slug)
  const members = await q.rows(statements.members(organization.id, page))
  return { members, ...(await q.one(statements.countMembers(organization.id, TOTAL_CAP + 1))) }
}

export interface MemberAct {
  slug: string
  userId: string
  origin: Origin
}

/**
 * Another role, by OWNER or ADMIN; OWNERs are made and unmade by OWNERs, and a member becomes OWNER by accepting it. 403
 * without a fresh proof, 409 where no OWNER would be left.
 */
export async function changeMember(
  tx: Tx,
  services: Services,
  actor: Actor,
  act: MemberAct & { role: OrganizationRole },
): Promise<Member> {
  // The account before the organization, as its deletion locks them.
  const account = isId(act.userId) ? await tx.maybe(lockAccount(act.userId)) : undefined
  const { organization, role: own } = await lockMembership(tx, actor, act.slug, STAFF)
  await demandStepUp(tx, actor, tx.clock.real())
  const { role: present } = await demandMember(tx, organization.id, act.userId)
  requireMayGive(own, act.role)
  requireMayGive(own, present)
  if (act.role === 'OWNER' && present !== 'OWNER' && account) {
    const { slug, role, origin } = act
    await putInvitation(tx, services, actor, { organizationId: organization.id, slug, account, role, byUsername: false, origin })
  } else if (act.role !== present) {
    await tx.run(statements.setMemberRole(organization.id, act.userId, act.role, tx.now))
    if (!STAFF.includes(act.role)) await endKeysOf(tx, organization.id, act.userId, authorOf(actor, act.origin))
    const details = { from: present, to: act.role }
    await note(tx, actor, { ...act, action: 'role_changed', organizationId: organization.id, details })
  }
  return tx.one(statements.memberOf(organization.id, act.userId))
}

/**
 * Takes a member out, or an invitation back, by OWNER or ADMIN; or the caller leaves. 403 without a fresh proof, 409 where
 * no OWNER would be left.
 */
export async function removeMember(tx: Tx, actor: Actor, act: MemberAct): Promise<void> {
  const leaves = act.userId === actor.accountId
  const { organization, role: own } = await lockMembership(tx, actor, act.slug, leaves ? undefined : STAFF)
  await demandStepUp(tx, actor, tx.clock.real())
  const withdrawn = isId(act.userId) && (await tx.run(deleteInvitation(organization.id, act.userId))) > 0
  if (withdrawn && !(await tx.maybe(statements.roleOf(organization.id, act.userId)))) {
    await note(tx, actor, { ...act, organizationId: organization.id, action: 'invitation_withdrawn', details: {} })
    return
  }
  const { role } = await demandMember(tx, organization.id, act.userId)
  if (!leaves) requireMayGive(own, role)
  await tx.run(statements.deleteMember(organization.id, act.userId))
  await endKeysOf(tx, organization.id, act.userId, authorOf(actor, act.origin))
  const event = { ...act, organizationId: organization.id, details: { role } }
  await note(tx, actor, { ...event, action: leaves ? 'left' : 'removed' })
}

/** The keys that a person made for an organization end with the role; after the role itself, so that none is missed. */
export async function endKeysOf(tx: Tx, organizationId: string, accountId: string, author: KeyAuthor): Promise<void> {
  for (const { id } of await tx.rows(statements.serviceAccountsOfMember(organizationId, accountId))) {
    await revokeKeys(tx, { serviceAccountId: id }, author)
    await tx.run(setServiceAccountRevoked(id, tx.now))
  }
}

async function demandMember(tx: Tx, organizationId: string, userId: string): Promise<{ role: OrganizationRole }> {
  const member = isId(userId) ? await tx.maybe(statements.roleOf(organizationId, userId)) : undefined
  if (!member) throw fault(IDENTITY.MEMBER_NOT_FOUND)
  return member
}

const authorOf = (actor: Actor, { ip, requestId }: Origin): KeyAuthor => ({
  actorId: actor.accountId,
  actorKind: actor.kind,
  ip,
  requestId,
})

const note = (
  tx: Tx,
  actor: Actor,
  { action, organizationId, userId, origin, details }: {
    action: 'role_changed' | 'removed' | 'left' | 'invitation_withdrawn'
    organizationId: string
    userId: string
    origin: Origin
    details: Record<string, unknown>
  },
): Promise<void> =>
  auditOrganization(tx, actor, {
    action: `organization.member_${action}`,
    organizationId,
    origin,
    details: { userId, ...details },
  })
