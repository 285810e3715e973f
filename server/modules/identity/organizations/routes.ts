import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { DisplayName } from '../schema.ts'
import { acceptInvitation, declineInvitation, inviteMember, ownInvitations } from './invitation.ts'
import { changeMember, membersOf, removeMember } from './member.ts'
import { createOrganization, ownOrganization, ownOrganizations, renameOrganization } from './organization.ts'
import { InvitationRecord, MemberRecord, OrganizationRecord, RoleName, Slug } from './schema.ts'

const common = { tag: 'Organizations', access: { accept: ['jwt'] } } as const
const page = Type.Object(PageQuery)
const params = Type.Object({ slug: Type.String({ maxLength: 200 }) })
const memberParams = Type.Object({ ...params.properties, userId: Id })

/** Organizations, their members and invitations. */
export function organizationRoutes(app: App, services: Services): void {
  organizationCommands(app)
  readRoutes(app)
  memberCommands(app, services)
  invitationRoutes(app)
}

function organizationCommands(app: App): void {
  command(app, {
    ...common,
    method: 'POST',
    url: '/organizations',
    id: 'createOrganization',
    summary: 'Create an organization',
    body: Type.Object({ slug: Slug, name: DisplayName }),
    example: { slug: 'analytical-engines', name: 'Analytical Engines' },
    idempotent: true,
    success: [201, OrganizationRecord],
    run: (tx, ctx, { body }) => createOrganization(tx, ctx, body),
  })
  command(app, {
    ...common,
    method: 'PATCH',
    url: '/organizations/{slug}',
    id: 'renameOrganization',
    summary: 'Rename an organization',
    params,
    body: Type.Object({ name: DisplayName }),
    example: { name: 'Analytical Engines Ltd' },
    success: [200, OrganizationRecord],
    run: (tx, ctx, { params, body }) => renameOrganization(tx, ctx, { ...params, ...body }),
  })
}

function readRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/organizations',
    id: 'listOrganizations',
    summary: 'List your organizations',
    query: page,
    success: [200, PageOf(OrganizationRecord)],
    run: (q, ctx, { query }) => ownOrganizations(q, ctx, pageOf(query)),
  })
  query(app, {
    ...common,
    method: 'GET',
    url: '/organizations/{slug}',
    id: 'getOrganization',
    summary: 'Get an organization',
    params,
    success: [200, OrganizationRecord],
    run: (q, ctx, { params }) => ownOrganization(q, ctx, params.slug),
  })
  query(app, {
    ...common,
    method: 'GET',
    url: '/organizations/{slug}/members',
    id: 'listOrganizationMembers',
    summary: 'List the members of an organization',
    params,
    query: page,
    success: [200, PageOf(MemberRecord)],
    run: (q, ctx, { params, query }) => membersOf(q, ctx, params.slug, pageOf(query)),
  })
}

function memberCommands(app: App, services: Services): void {
  command(app, {
    ...common,
    method: 'POST',
    url: '/organizations/{slug}/members',
    id: 'addOrganizationMember',
    summary: 'Invite a person to an organization',
    description:
      'For OWNER and ADMIN; only an OWNER can invite another OWNER. By username or userId, not by email address: any response would reveal ' +
      'whether it is registered. The person becomes a member with POST /organizations/{slug}/accept. Needs a sign-in or ' +
      'POST /auth/step-up within five minutes.',
    errors: [409],
    params,
    body: Type.Object({
      username: Type.Optional(
        Type.String({ maxLength: 100, description: 'Username of the person; instead of `userId`' }),
      ),
      userId: Type.Optional({ ...Id, description: "Id of the person's account; instead of `username`" }),
      role: RoleName,
    }),
    example: { username: 'scribe', role: 'MEMBER' },
    success: [201, MemberRecord],
    run: (tx, ctx, { params, body }) => inviteMember(tx, ctx, { ...params, ...body }, services),
  })
  command(app, {
    ...common,
    method: 'PATCH',
    url: '/organizations/{slug}/members/{userId}',
    id: 'changeOrganizationMember',
    summary: 'Change the role of a member',
    description:
      'By OWNER or ADMIN; from or to OWNER by an OWNER alone. A member becomes OWNER by accepting it: until then the response ' +
      'shows `pendingRole`.',
    errors: [409],
    params: memberParams,
    body: Type.Object({ role: RoleName }),
    example: { role: 'ADMIN' },
    success: [200, MemberRecord],
    run: (tx, ctx, { params, body }) => changeMember(tx, ctx, { ...params, ...body }, services),
  })
  command(app, {
    ...common,
    method: 'DELETE',
    url: '/organizations/{slug}/members/{userId}',
    id: 'removeOrganizationMember',
    summary: 'Remove a member, or leave an organization',
    description:
      'Also withdraws an invitation, one to OWNER by an OWNER alone. Keys that the member made for the organization end.',
    errors: [409],
    params: memberParams,
    success: 204,
    run: (tx, ctx, { params }) => removeMember(tx, ctx, params),
  })
}

function invitationRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/users/me/invitations',
    id: 'listOwnInvitations',
    summary: 'List your invitations to organizations',
    query: page,
    success: [200, PageOf(InvitationRecord)],
    run: (q, ctx, { query }) => ownInvitations(q, ctx, pageOf(query)),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/organizations/{slug}/accept',
    id: 'acceptInvitation',
    summary: 'Accept an invitation to an organization',
    errors: [409],
    params,
    success: [200, OrganizationRecord],
    run: (tx, ctx, { params }) => acceptInvitation(tx, ctx, params.slug),
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/organizations/{slug}/decline',
    id: 'declineInvitation',
    summary: 'Decline an invitation to an organization',
    params,
    success: 204,
    run: (tx, ctx, { params }) => declineInvitation(tx, ctx, params.slug),
  })
}
