import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { boundAgent, boundOrganization, type RequestContext } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { IDENTITY } from '../errors.ts'
import * as statements from './sql.ts'
import type { OpenOrganization, Organization, OrganizationRole } from './sql.ts'

/** The roles that may change an organization and spend its money. */
export const STAFF: readonly OrganizationRole[] = ['OWNER', 'ADMIN']
const ALL_ROLES: readonly OrganizationRole[] = ['OWNER', 'ADMIN', 'MEMBER']

export interface Membership {
  organization: OpenOrganization
  role: OrganizationRole
}

/** The organization and the role of the caller in it. Errors: 404 if it does not exist, 403 without one of `roles`. */
export async function requireMembership(
  q: Queryable,
  ctx: RequestContext,
  slug: string,
  roles: readonly OrganizationRole[] = ALL_ROLES,
): Promise<Membership> {
  const organization = await organizationBySlug(q, slug)
  if (!organization) throw apiError(IDENTITY.ORGANIZATION_NOT_FOUND)
  return { organization, role: await requireRole(q, ctx, organization.id, roles) }
}

/** The same, and locks the organization: its changes run one after the other. */
export async function lockMembership(
  tx: Tx,
  ctx: RequestContext,
  slug: string,
  roles?: readonly OrganizationRole[],
): Promise<Membership> {
  const { organization } = await requireMembership(tx, ctx, slug, roles)
  await tx.run(statements.lockOrganization(organization.id))
  return requireMembership(tx, ctx, slug, roles)
}

/** 403 where only an OWNER may give or take the role. */
export function requireMayGive(own: OrganizationRole, role: OrganizationRole): void {
  if (role === 'OWNER' && own !== 'OWNER')
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only an OWNER can change who is OWNER' })
}

async function requireRole(
  q: Queryable,
  ctx: RequestContext,
  id: string,
  roles: readonly OrganizationRole[],
) {
  const member = await q.maybe(statements.roleOf(id, ctx.principal.accountId))
  if (!member) throw apiError(COMMON.FORBIDDEN, { hint: 'You are not a member of this organization' })
  if (!roles.includes(member.role))
    throw apiError(COMMON.FORBIDDEN, { hint: `Requires the role ${roles.join(' or ')}` })
  return member.role
}

/** 403 unless the caller runs the organization; its role stays until the transaction ends. */
export async function requireStaff(q: Queryable, ctx: RequestContext, organizationId: string): Promise<void> {
  const organization = await openOrganization(q, organizationId)
  if (!organization) throw apiError(IDENTITY.ORGANIZATION_NOT_FOUND)
  if (!(await actsForOrganization(q, ctx, organizationId, 'spend')))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Requires the role OWNER or ADMIN in the organization' })
}

export const organizationBySlug = (q: Queryable, slug: string): Promise<OpenOrganization | undefined> =>
  q.maybe(statements.organizationBySlug(slug))

/** The organization with an id, unless it is closed. */
export async function openOrganization(q: Queryable, id: string): Promise<Organization | undefined> {
  const found = isId(id) ? await q.maybe(statements.organizationById(id)) : undefined
  return found && !found.closedAt ? found : undefined
}

/** The organizations that the caller runs; a bound key acts for one of them at most. */
export async function organizationsRunBy(q: Queryable, ctx: RequestContext): Promise<string[]> {
  const { principal } = ctx
  if (boundAgent(principal) !== null) return []
  const ids = (await q.rows(statements.runBy(principal.accountId))).map(({ id }) => id)
  const bound = boundOrganization(principal)
  return bound === null ? ids : ids.filter(id => id === bound)
}

/** The accounts that run each of these organizations. */
export async function staffOf(q: Queryable, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const staff = new Map<string, Set<string>>()
  for (const { organizationId, accountId } of await q.rows(statements.staffOf(ids)))
    staff.set(organizationId, (staff.get(organizationId) ?? new Set()).add(accountId))
  return staff
}

/** False while everybody who runs the organization is suspended. */
export const hasActiveStaff = async (q: Queryable, id: string): Promise<boolean> =>
  (await q.maybe(statements.activeStaffOf(id))) !== undefined

/** The OWNER who joined first: the responsible person of an open organization. */
export const firstOwnerOf = async (q: Queryable, id: string): Promise<string> =>
  (await q.one(statements.firstOwner(id))).accountId

/**
 * True if the caller may use the property of the organization: every member may read, OWNER and ADMIN may spend. A key
 * that is bound to an agent or to another organization may not; a key that is bound to this one may while its person is
 * OWNER or ADMIN. To spend, the role is locked until the transaction ends.
 */
export async function actsForOrganization(
  q: Queryable,
  { principal }: RequestContext,
  organizationId: string,
  use: 'read' | 'spend',
): Promise<boolean> {
  const bound = boundOrganization(principal)
  if (boundAgent(principal) !== null || (bound !== null && bound !== organizationId)) return false
  const find = use === 'spend' ? statements.lockRoleForShare : statements.roleOf
  const member = await q.maybe(find(organizationId, principal.accountId))
  return member !== undefined && (STAFF.includes(member.role) || (use === 'read' && bound === null))
}
