import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { isId } from '#platform/id'
import { IDENTITY } from './faults.ts'
import * as statements from './sql/organizations.ts'
import type { Organization, OrganizationRole } from './sql/organizations.ts'

/** Who runs an organization: changes it, and spends its money. */
export const STAFF: readonly OrganizationRole[] = ['OWNER', 'ADMIN']
const ANYBODY: readonly OrganizationRole[] = ['OWNER', 'ADMIN', 'MEMBER']

export interface Membership {
  organization: Organization
  role: OrganizationRole
}

/** The caller's place in an organization: unknown 404, another's 403; with `STAFF` 403 for a MEMBER. */
export async function demandMembership(
  q: Queryable,
  actor: Actor,
  slug: string,
  roles: readonly OrganizationRole[] = ANYBODY,
): Promise<Membership> {
  const organization = await organizationBySlug(q, slug)
  if (!organization) throw fault(IDENTITY.ORGANIZATION_NOT_FOUND)
  return { organization, role: await demandRole(q, actor, organization.id, roles) }
}

/** The same, locked: changes of one organization run one after the other. */
export async function lockMembership(
  tx: Tx,
  actor: Actor,
  slug: string,
  roles?: readonly OrganizationRole[],
): Promise<Membership> {
  const { organization } = await demandMembership(tx, actor, slug, roles)
  await tx.run(statements.lockOrganization(organization.id))
  return demandMembership(tx, actor, slug, roles)
}

/** 403 where only an OWNER may give or take the role. */
export function requireMayGive(own: OrganizationRole, role: OrganizationRole): void {
  if (role === 'OWNER' && own !== 'OWNER')
    throw fault(COMMON.FORBIDDEN, { hint: 'Only an OWNER can change who is OWNER' })
}

async function demandRole(q: Queryable, actor: Actor, id: string, roles: readonly OrganizationRole[]) {
  const member = await q.maybe(statements.roleOf(id, actor.accountId))
  if (!member) throw fault(COMMON.FORBIDDEN, { hint: 'You are not a member of this organization' })
  if (!roles.includes(member.role)) throw fault(COMMON.FORBIDDEN, { hint: `Requires the role ${roles.join(' or ')}` })
  return member.role
}

/** The same of STAFF by id, for good until the transaction ends. */
export async function demandStaff(q: Queryable, actor: Actor, organizationId: string): Promise<void> {
  const organization = await openOrganization(q, organizationId)
  if (!organization) throw fault(IDENTITY.ORGANIZATION_NOT_FOUND)
  if (!(await actsForOrganization(q, actor, organizationId, 'spend')))
    throw fault(COMMON.FORBIDDEN, { hint: 'Requires the role OWNER or ADMIN in the organization' })
}

export const organizationBySlug = (q: Queryable, slug: string): Promise<Organization | undefined> =>
  q.maybe(statements.organizationBySlug(slug))

/** An organization that is not closed, by id. */
export async function openOrganization(q: Queryable, id: string): Promise<Organization | undefined> {
  const found = isId(id) ? await q.maybe(statements.organizationById(id)) : undefined
  return found && !found.closedAt ? found : undefined
}

/** The organizations that the caller runs: with a bound key that one, or none. */
export async function organizationsRunBy(q: Queryable, actor: Actor): Promise<string[]> {
  const { accountId, agentId, organizationId } = actor
  if (agentId !== null) return []
  const ids = (await q.rows(statements.runBy(accountId))).map(({ id }) => id)
  return organizationId === null ? ids : ids.filter(id => id === organizationId)
}

/** The accounts that run organizations, by organization. */
export async function staffOf(q: Queryable, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const staff = new Map<string, Set<string>>()
  for (const { organizationId, accountId } of await q.rows(statements.staffOf(ids)))
    staff.set(organizationId, (staff.get(organizationId) ?? new Set()).add(accountId))
  return staff
}

/** The OWNER who joined first: the person behind an open organization, where one is asked for. */
export const firstOwnerOf = async (q: Queryable, id: string): Promise<string> =>
  (await q.one(statements.firstOwner(id))).accountId

/**
 * Whether the caller may use what is the organization's: every member reads, OWNER and ADMIN spend. A key that is
 * bound to an agent or to another organization may not; one that is bound to this one may while its person is STAFF.
 * To spend, the role is held until the transaction ends.
 */
export async function actsForOrganization(
  q: Queryable,
  { accountId, agentId, organizationId: bound }: Actor,
  organizationId: string,
  use: 'read' | 'spend',
): Promise<boolean> {
  if (agentId !== null || (bound !== null && bound !== organizationId)) return false
  const asked = use === 'spend' ? statements.holdRole : statements.roleOf
  const member = await q.maybe(asked(organizationId, accountId))
  return member !== undefined && (STAFF.includes(member.role) || (use === 'read' && bound === null))
}
