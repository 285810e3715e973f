import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { newId } from '#platform/kernel/id'
import { publish } from '#platform/kernel/events'
import { freeSlugs } from '#platform/kernel/slug'
import { lockAccount } from '../account/sql.ts'
import { isReserved } from '../account/username.ts'
import { IDENTITY } from '../errors.ts'
import { organizationCreated } from '../events.ts'
import { lockMembership, requireMembership, STAFF } from './role.ts'
import { organizationView } from './schema.ts'
import * as statements from './sql.ts'

/** How many organizations one account may own at a time: each has a wallet. */
export const ORGANIZATIONS_MAX = 100

/**
 * Creates an organization whose OWNER is the caller; publishes `organization.created`, whose subscribers create its
 * wallet. Errors: 400 for a reserved slug, 409 with free slugs for a taken one, 409 above the limit of an account.
 *
 * Audit events do not contain the name of an organization, which may be the name of a person.
 */
export async function createOrganization(
  tx: Tx,
  ctx: RequestContext,
  { slug, name }: { slug: string; name: string },
) {
  if (isReserved(slug)) throw invalid(`slug ${slug} is reserved`)
  const { accountId } = ctx.principal
  const { status } = await tx.one(lockAccount(accountId))
  if (status !== 'ACTIVE') throw apiError(COMMON.UNAUTHORIZED)
  await requireFewerOrganizations(tx, accountId)
  const organization = await tx.maybe(statements.insertOrganization(newId(), slug, name, tx.now))
  if (!organization)
    throw apiError(IDENTITY.SLUG_TAKEN, { fields: { suggestions: await suggestions(tx, slug) } })
  await tx.run(statements.insertMember(organization.id, accountId, 'OWNER', tx.now))
  await publish(tx, organizationCreated, { organizationId: organization.id })
  await audit(tx, ctx, 'organization.created', { target: ['organization', organization.id] })
  return organizationView({ ...organization, role: 'OWNER' })
}

/** 409 for an account that owns the most organizations. The caller has locked the account. */
export async function requireFewerOrganizations(tx: Tx, accountId: string): Promise<void> {
  const { owned } = await tx.one(statements.countOwned(accountId))
  if (owned >= ORGANIZATIONS_MAX)
    throw apiError(IDENTITY.TOO_MANY_ORGANIZATIONS, {
      hint: `You are OWNER of ${owned} organizations, which is the limit`,
    })
}

const suggestions = (q: Queryable, slug: string): Promise<string[]> =>
  freeSlugs(slug, 'org', near => q.rows(statements.takenOrganizationSlugs(near)))

/** The organizations of which the caller is a member. */
export async function ownOrganizations(q: Queryable, { principal }: RequestContext, page: Page) {
  const { accountId } = principal
  const organizations = await q.rows(statements.organizationsOf(accountId, page))
  const { counted } = await q.one(statements.countOrganizationsOf(accountId, TOTAL_CAP + 1))
  return pageAnswer(organizations.map(organizationView), counted, page)
}

export async function ownOrganization(q: Queryable, ctx: RequestContext, slug: string) {
  const { organization, role } = await requireMembership(q, ctx, slug)
  return organizationView({ ...organization, role })
}

/** Changes the name; by OWNER or ADMIN. The slug never changes, because other records refer to it. */
export async function renameOrganization(
  tx: Tx,
  ctx: RequestContext,
  { slug, name }: { slug: string; name: string },
) {
  const { organization, role } = await lockMembership(tx, ctx, slug, STAFF)
  await tx.run(statements.setOrganizationName(organization.id, name, tx.now))
  await audit(tx, ctx, 'organization.renamed', { target: ['organization', organization.id] })
  return organizationView({ ...organization, name, updatedAt: tx.now, role })
}
