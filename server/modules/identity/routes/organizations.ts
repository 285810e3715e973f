import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { once } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { SLUG_MAX, SLUG_PATTERN } from '#platform/slug'
import * as members from '../organization-member.ts'
import * as acts from '../organization.ts'
import { DisplayName } from '../schema.ts'
import { originOf } from '../session.ts'
import { ORGANIZATION_ROLES, type Member, type OwnOrganization } from '../sql/organizations.ts'

const tag = 'Organizations'
const base = '/organizations'
const auth = 'jwt' as const
const Slug = Type.String({ pattern: SLUG_PATTERN, minLength: 3, maxLength: SLUG_MAX, examples: ['analytical-engines'] })
const Path = Type.Object({ slug: Type.String({ maxLength: 200 }) })
const MemberPath = Type.Object({ ...Path.properties, userId: Id })
const RoleName = named('OrganizationRole', Type.Enum([...ORGANIZATION_ROLES]))

const OrganizationRecord = named('Organization', Type.Object({
  id: Id,
  slug: Slug,
  name: Type.String(),
  role: Type.Enum([...ORGANIZATION_ROLES], { description: "The caller's" }),
  createdAt: Moment,
  updatedAt: Moment,
}))
const MemberRecord = named('OrganizationMember', Type.Object({
  userId: Id,
  displayName: Type.String(),
  username: Nullable(Type.String()),
  role: RoleName,
  joinedAt: Moment,
}))

const record = ({ id, slug, name, role, createdAt, updatedAt }: OwnOrganization) => ({
  id,
  slug,
  name,
  role,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
const memberRecord = ({ joinedAt, ...rest }: Member) => ({ ...rest, joinedAt: joinedAt.toISOString() })

/** Organizations: who belongs to one, and as what. */
export function organizationRoutes(app: App, services: Services): void {
  makeAndRename(app, services)
  readRoutes(app, services)
  memberRoutes(app, services)
}

function makeAndRename(app: App, { db }: Services): void {
  route(app, {
    method: 'POST',
    url: base,
    id: 'createOrganization',
    tag,
    summary: 'Create an organization',
    auth,
    body: Type.Object({ slug: Slug, name: DisplayName }),
    example: { slug: 'analytical-engines', name: 'Analytical Engines' },
    idempotent: true,
    reply: { 201: OrganizationRecord },
    handle: async ({ actor, body, request, reply }) =>
      once(db, request, reply, async tx => record(await acts.createOrganization(tx, actor, body, originOf(request)))),
  })
  route(app, {
    method: 'PATCH',
    url: `${base}/{slug}`,
    id: 'renameOrganization',
    tag,
    summary: 'Rename an organization',
    auth,
    params: Path,
    body: Type.Object({ name: DisplayName }),
    example: { name: 'Analytical Engines Ltd' },
    reply: { 200: OrganizationRecord },
    handle: async ({ actor, params, body, request }) => {
      const change = { ...params, ...body, origin: originOf(request) }
      return record(await db.transaction(tx => acts.renameOrganization(tx, actor, change)))
    },
  })
}

function readRoutes(app: App, { db }: Services): void {
  const common = { method: 'GET' as const, tag, auth }
  route(app, {
    ...common,
    url: base,
    id: 'listOrganizations',
    summary: 'List your organizations',
    query: Type.Object(PageQuery),
    reply: { 200: PageOf(OrganizationRecord) },
    handle: async ({ actor, query }) => {
      const page = pageOf(query)
      const { organizations, counted } = await acts.ownOrganizations(db, actor, page)
      return pageAnswer(organizations.map(record), counted, page)
    },
  })
  route(app, {
    ...common,
    url: `${base}/{slug}`,
    id: 'getOrganization',
    summary: 'Get an organization',
    params: Path,
    reply: { 200: OrganizationRecord },
    handle: async ({ actor, params }) => record(await acts.ownOrganization(db, actor, params.slug)),
  })
  route(app, {
    ...common,
    url: `${base}/{slug}/members`,
    id: 'listOrganizationMembers',
    summary: 'List the members of an organization',
    params: Path,
    query: Type.Object(PageQuery),
    reply: { 200: PageOf(MemberRecord) },
    handle: async ({ actor, params, query }) => {
      const page = pageOf(query)
      const { members: some, counted } = await members.membersOf(db, actor, params.slug, page)
      return pageAnswer(some.map(memberRecord), counted, page)
    },
  })
}

function memberRoutes(app: App, { db }: Services): void {
  const common = { tag, auth, errors: [409] }
  route(app, {
    ...common,
    method: 'POST',
    url: `${base}/{slug}/members`,
    id: 'addOrganizationMember',
    summary: 'Add a member to an organization',
    description: 'By username or userId. Not by e-mail: any answer would tell whether the address is registered.',
    params: Path,
    body: Type.Object({
      username: Type.Optional(Type.String({ maxLength: 100 })),
      userId: Type.Optional(Id),
      role: RoleName,
    }),
    example: { username: 'scribe', role: 'MEMBER' },
    reply: { 201: MemberRecord },
    handle: async ({ actor, params, body, request }) => {
      const joining = { ...params, ...body, origin: originOf(request) }
      return memberRecord(await db.transaction(tx => members.addMember(tx, actor, joining)))
    },
  })
  route(app, {
    ...common,
    method: 'PATCH',
    url: `${base}/{slug}/members/{userId}`,
    id: 'changeOrganizationMember',
    summary: 'Change the role of a member',
    params: MemberPath,
    body: Type.Object({ role: RoleName }),
    example: { role: 'ADMIN' },
    reply: { 200: MemberRecord },
    handle: async ({ actor, params, body, request }) => {
      const change = { ...params, ...body, origin: originOf(request) }
      return memberRecord(await db.transaction(tx => members.changeMember(tx, actor, change)))
    },
  })
  route(app, {
    ...common,
    method: 'DELETE',
    url: `${base}/{slug}/members/{userId}`,
    id: 'removeOrganizationMember',
    summary: 'Remove a member, or leave an organization',
    params: MemberPath,
    reply: { 204: Type.Null() },
    handle: async ({ actor, params, request }) => {
      await db.transaction(tx => members.removeMember(tx, actor, { ...params, origin: originOf(request) }))
    },
  })
}
