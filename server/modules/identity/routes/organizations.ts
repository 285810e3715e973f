import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Id, Moment, named, Nullable, pageAnswer, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { once } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { SLUG_MAX, SLUG_PATTERN } from '#platform/slug'
import { closeOwnOrganization } from '../organization-end.ts'
import * as invitations from '../organization-invitation.ts'
import * as members from '../organization-member.ts'
import * as acts from '../organization.ts'
import { DisplayName } from '../schema.ts'
import { originOf } from '../session.ts'
import type { Invitation } from '../sql/invitations.ts'
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
  displayName: Nullable(Type.String({ description: 'Null until an invited person accepts' })),
  username: Nullable(Type.String({ description: 'Null until an invited person accepts, unless the inviter named the person by it' })),
  role: RoleName,
  status: Type.Enum(['ACTIVE', 'INVITED']),
  pendingRole: Nullable(Type.Enum([...ORGANIZATION_ROLES], { description: 'The role that the member was asked to take' })),
  joinedAt: Nullable(Moment),
}))

const record = ({ id, slug, name, role, createdAt, updatedAt }: OwnOrganization) => ({
  id,
  slug,
  name,
  role,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
const memberRecord = ({ joinedAt, ...rest }: Member) => ({ ...rest, joinedAt: joinedAt?.toISOString() ?? null })

const InvitationRecord = named('OrganizationInvitation', Type.Object({
  slug: Slug,
  name: Type.String(),
  role: RoleName,
  invitedAt: Moment,
}))
const invitationRecord = ({ invitedAt, ...rest }: Invitation) => ({ ...rest, invitedAt: invitedAt.toISOString() })

/** Organizations: who belongs to one, and as what. */
export function organizationRoutes(app: App, services: Services): void {
  makeAndRename(app, services)
  readRoutes(app, services)
  memberRoutes(app, services)
  invitationRoutes(app, services)
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

function memberRoutes(app: App, services: Services): void {
  const { db } = services
  const common = { tag, auth, errors: [409] }
  route(app, {
    ...common,
    method: 'POST',
    url: `${base}/{slug}/members`,
    id: 'addOrganizationMember',
    summary: 'Invite a person to an organization',
    description:
      'By OWNER or ADMIN, another OWNER by an OWNER alone. By username or userId, not by email address: any response would tell ' +
      'whether it is registered. The person becomes a member with POST /organizations/{slug}/accept. Needs a sign-in or ' +
      'POST /auth/step-up within five minutes.',
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
      return memberRecord(await db.transaction(tx => invitations.inviteMember(tx, services, actor, joining)))
    },
  })
  route(app, {
    ...common,
    method: 'PATCH',
    url: `${base}/{slug}/members/{userId}`,
    id: 'changeOrganizationMember',
    summary: 'Change the role of a member',
    description:
      'By OWNER or ADMIN; from or to OWNER by an OWNER alone. A member becomes OWNER by accepting it: until then the response ' +
      'shows `pendingRole`.',
    params: MemberPath,
    body: Type.Object({ role: RoleName }),
    example: { role: 'ADMIN' },
    reply: { 200: MemberRecord },
    handle: async ({ actor, params, body, request }) => {
      const change = { ...params, ...body, origin: originOf(request) }
      return memberRecord(await db.transaction(tx => members.changeMember(tx, services, actor, change)))
    },
  })
  route(app, {
    ...common,
    method: 'DELETE',
    url: `${base}/{slug}/members/{userId}`,
    id: 'removeOrganizationMember',
    summary: 'Remove a member, or leave an organization',
    description: 'Also withdraws an invitation. Keys that the member made for the organization end.',
    params: MemberPath,
    reply: { 204: Type.Null() },
    handle: async ({ actor, params, request }) => {
      await db.transaction(tx => members.removeMember(tx, actor, { ...params, origin: originOf(request) }))
    },
  })
}

function invitationRoutes(app: App, { db }: Services): void {
  const common = { tag, auth }
  route(app, {
    ...common,
    method: 'GET',
    url: '/users/me/invitations',
    id: 'listOwnInvitations',
    summary: 'List your invitations to organizations',
    query: Type.Object(PageQuery),
    reply: { 200: PageOf(InvitationRecord) },
    handle: async ({ actor, query }) => {
      const page = pageOf(query)
      const { invitations: some, counted } = await invitations.ownInvitations(db, actor, page)
      return pageAnswer(some.map(invitationRecord), counted, page)
    },
  })
  route(app, {
    ...common,
    method: 'POST',
    url: `${base}/{slug}/accept`,
    id: 'acceptInvitation',
    summary: 'Accept an invitation to an organization',
    errors: [409],
    params: Path,
    reply: { 200: OrganizationRecord },
    handle: async ({ actor, params, request }) =>
      record(await db.transaction(tx => invitations.acceptInvitation(tx, actor, { ...params, origin: originOf(request) }))),
  })
  route(app, {
    ...common,
    method: 'POST',
    url: `${base}/{slug}/decline`,
    id: 'declineInvitation',
    summary: 'Decline an invitation to an organization',
    params: Path,
    reply: { 204: Type.Null() },
    handle: async ({ actor, params, request }) => {
      await db.transaction(tx => invitations.declineInvitation(tx, actor, { ...params, origin: originOf(request) }))
    },
  })
  route(app, {
    ...common,
    method: 'DELETE',
    url: `${base}/{slug}`,
    id: 'closeOrganization',
    summary: 'Close an empty organization',
    description: 'By its OWNER, without other members and money. It cannot be undone; the slug is free again. Needs a sign-in or POST /auth/step-up within five minutes.',
    errors: [409],
    params: Path,
    reply: { 204: Type.Null() },
    handle: async ({ actor, params, request }) => {
      await db.transaction(tx => closeOwnOrganization(tx, actor, { ...params, origin: originOf(request) }))
    },
  })
}
