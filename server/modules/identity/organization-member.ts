import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/id'
import { accountByUsername } from './account.ts'
import { IDENTITY } from './faults.ts'
import { revokeKeys, type KeyAuthor } from './key-life.ts'
import { auditOrganization } from './organization.ts'
import { demandMembership, STAFF, type Membership } from './organization-role.ts'
import type { Origin } from './session.ts'
import { lockAccount } from './sql/accounts.ts'
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

export interface Joining {
  slug: string
  /** By user name or id. Not by e-mail: any answer to one would tell whether it is registered. */
  username?: string
  userId?: string
  role: OrganizationRole
  origin: Origin
}

/** A further member, by OWNER or ADMIN; another OWNER by an OWNER alone. Unknown person 404, a member already 409. */
export async function addMember(tx: Tx, actor: Actor, joining: Joining): Promise<Member> {
  const { slug, username, userId, role, origin } = joining
  if ((username === undefined) === (userId === undefined)) throw invalid('give either username or userId')
  await demandMembership(tx, actor, slug, STAFF)
  await demandStepUp(tx, actor, tx.clock.real())
  const id = username === undefined ? userId : (await accountByUsername(tx, username))?.id
  // The account before the organization, as its deletion locks them: nobody joins who is being forgotten.
  const account = id !== undefined && isId(id) ? await tx.maybe(lockAccount(id)) : undefined
  if (!account || account.status === 'DELETED') throw fault(IDENTITY.USER_NOT_FOUND)
  const { organization, role: own } = await lockMembership(tx, actor, slug, STAFF)
  assertMayGive(own, role)
  if (await tx.maybe(statements.roleOf(organization.id, account.id))) throw fault(IDENTITY.MEMBER_EXISTS)
  await tx.run(statements.insertMember(organization.id, account.id, role, tx.now))
  const event = { organizationId: organization.id, userId: account.id, origin, details: { role } }
  await note(tx, actor, { ...event, action: 'added' })
  return tx.one(statements.memberOf(organization.id, account.id))
}

export interface MemberAct {
  slug: string
  userId: string
  origin: Origin
}

/** Another role, by OWNER or ADMIN; OWNERs are made and unmade by OWNERs. 409 where no OWNER would be left. */
export async function changeMember(tx: Tx, actor: Actor, act: MemberAct & { role: OrganizationRole }): Promise<Member> {
  const { organization, role: own } = await lockMembership(tx, actor, act.slug, STAFF)
  await demandStepUp(tx, actor, tx.clock.real())
  const { role: present } = await demandMember(tx, organization.id, act.userId)
  assertMayGive(own, act.role)
  assertMayGive(own, present)
  if (act.role !== present) {
    await tx.run(statements.setMemberRole(organization.id, act.userId, act.role, tx.now))
    if (!STAFF.includes(act.role)) await endKeysOf(tx, organization.id, act.userId, authorOf(actor, act.origin))
    const details = { from: present, to: act.role }
    await note(tx, actor, { ...act, action: 'role_changed', organizationId: organization.id, details })
  }
  return tx.one(statements.memberOf(organization.id, act.userId))
}

/** Takes a member out, by OWNER or ADMIN, or by itself. 409 where no OWNER would be left. */
export async function removeMember(tx: Tx, actor: Actor, act: MemberAct): Promise<void> {
  const leaves = act.userId === actor.accountId
  const { organization, role: own } = await lockMembership(tx, actor, act.slug, leaves ? undefined : STAFF)
  await demandStepUp(tx, actor, tx.clock.real())
  const { role } = await demandMember(tx, organization.id, act.userId)
  if (!leaves) assertMayGive(own, role)
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

// Changes of one organization come one after the other, and each sees who is what after the one before.
async function lockMembership(
  tx: Tx,
  actor: Actor,
  slug: string,
  roles?: readonly OrganizationRole[],
): Promise<Membership> {
  const { organization } = await demandMembership(tx, actor, slug, roles)
  await tx.run(statements.lockOrganization(organization.id))
  return demandMembership(tx, actor, slug, roles)
}

function assertMayGive(own: OrganizationRole, role: OrganizationRole): void {
  if (role === 'OWNER' && own !== 'OWNER')
    throw fault(COMMON.FORBIDDEN, { hint: 'only an OWNER makes or unmakes an OWNER' })
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
    action: 'added' | 'role_changed' | 'removed' | 'left'
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
