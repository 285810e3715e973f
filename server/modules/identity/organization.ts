import { audit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { newId } from '#platform/id'
import { react } from '#platform/reactions'
import { freeSlugs } from '#platform/slug'
import { IDENTITY } from './faults.ts'
import { demandMembership, STAFF } from './organization-role.ts'
import type { Origin } from './session.ts'
import { lockAccount } from './sql/accounts.ts'
import * as statements from './sql/organizations.ts'
import type { OwnOrganization } from './sql/organizations.ts'
import { isReserved } from './username.ts'

/** How many organizations one account may own at a time: each has a wallet. */
export const ORGANIZATIONS_MAX = 100

/**
 * A new organization whose OWNER is the caller; announces `organization.created`, whose followers give it a wallet.
 * 400 for a reserved slug, 409 with free ones for a taken one, and beyond the most that an account may own.
 */
export async function createOrganization(
  tx: Tx,
  actor: Actor,
  { slug, name }: { slug: string; name: string },
  origin: Origin,
): Promise<OwnOrganization> {
  if (isReserved(slug)) throw invalid(`slug ${slug} is reserved`)
  const { status } = await tx.one(lockAccount(actor.accountId))
  if (status !== 'ACTIVE') throw fault(COMMON.UNAUTHORIZED)
  await requireRoomToOwn(tx, actor.accountId)
  const made = await tx.maybe(statements.insertOrganization(newId(), slug, name, tx.now))
  if (!made) throw fault(IDENTITY.SLUG_TAKEN, { fields: { suggestions: await suggestions(tx, slug) } })
  await tx.run(statements.insertMember(made.id, actor.accountId, 'OWNER', tx.now))
  await react(tx, 'organization.created', { organizationId: made.id })
  await auditOrganization(tx, actor, { action: 'organization.created', organizationId: made.id, origin })
  return { ...made, role: 'OWNER' }
}

/** 409 for an account that owns the most organizations; the caller holds its lock. */
export async function requireRoomToOwn(tx: Tx, accountId: string): Promise<void> {
  const { owned } = await tx.one(statements.countOwned(accountId))
  if (owned >= ORGANIZATIONS_MAX)
    throw fault(IDENTITY.TOO_MANY_ORGANIZATIONS, { hint: `You are OWNER of ${owned} organizations, which is the limit` })
}

const suggestions = (q: Queryable, slug: string): Promise<string[]> =>
  freeSlugs(slug, 'org', near => q.rows(statements.takenOrganizationSlugs(near)))

export async function ownOrganizations(q: Queryable, actor: Actor, page: Page) {
  const organizations = await q.rows(statements.organizationsOf(actor.accountId, page))
  return { organizations, ...(await q.one(statements.countOrganizationsOf(actor.accountId, TOTAL_CAP + 1))) }
}

export async function ownOrganization(q: Queryable, actor: Actor, slug: string): Promise<OwnOrganization> {
  const { organization, role } = await demandMembership(q, actor, slug)
  return { ...organization, role }
}

/** Gives it another name; by OWNER or ADMIN. The slug stays, for others refer to it. */
export async function renameOrganization(
  tx: Tx,
  actor: Actor,
  { slug, name, origin }: { slug: string; name: string; origin: Origin },
): Promise<OwnOrganization> {
  const { organization, role } = await demandMembership(tx, actor, slug, STAFF)
  await tx.run(statements.setOrganizationName(organization.id, name, tx.now))
  await auditOrganization(tx, actor, { action: 'organization.renamed', organizationId: organization.id, origin })
  return { ...organization, name, updatedAt: tx.now, role }
}

/** Names no name: that of an organization of one person is forgotten with the person, the audit log is not. */
export async function auditOrganization(
  tx: Tx,
  actor: Pick<Actor, 'accountId' | 'kind'>,
  event: { action: string; organizationId: string; origin?: Origin; details?: Record<string, unknown> },
): Promise<void> {
  await audit(tx, {
    action: event.action,
    actorId: actor.accountId,
    actorKind: actor.kind,
    target: 'organization',
    targetId: event.organizationId,
    ip: event.origin?.ip,
    requestId: event.origin?.requestId,
    details: event.details,
  })
}
