import { Type } from '#platform/http/type'
import { command, page, query, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { adminRoutes } from './admin-routes.ts'
import { Redirects } from './clicks/redirect.ts'
import { apply, enroll, maybeOwnProfile, ownProfile, resolveCode } from './profile/profile.ts'
import {
  ApplyBody,
  DashboardRecord,
  LinkBody,
  LinkRecord,
  MembershipRecord,
  ProfileRecord,
} from './schema.ts'
import { dashboard, makeLink, profileView } from './view.ts'

const write = { tag: 'Affiliates', access: { accept: ['jwt', 'sk'], scope: 'agent:write' } } as const
const read = { ...write, access: { ...write.access, scope: 'agent:read' } } as const
const UtmValue = Type.Optional(Type.String({ maxLength: 200, description: 'Part of the address' }))

export function affiliateRoutes(app: App, services: Services): void {
  const { publicUrl } = services
  publicRoutes(app, services)
  ownRoutes(app, services)
  adminRoutes(app, publicUrl)
  command(app, {
    ...write,
    method: 'POST',
    url: '/affiliates/apply',
    id: 'applyAsAffiliate',
    summary: 'Apply to the affiliate programme',
    body: ApplyBody,
    errors: [409],
    success: [201, ProfileRecord],
    run: async (tx, ctx, { body }) => profileView(publicUrl, await apply(tx, ctx, body)),
  })
  command(app, {
    ...write,
    method: 'POST',
    url: '/affiliates/enroll',
    id: 'enrollAsAffiliate',
    summary: 'Enroll an agent account in the affiliate programme',
    success: [201, ProfileRecord],
    run: async (tx, ctx) => profileView(publicUrl, await enroll(tx, ctx)),
  })
}

function publicRoutes(app: App, services: Services): void {
  const redirects = new Redirects(services)
  page(app, {
    method: 'GET',
    url: '/affiliates/r/{code}',
    id: 'followAffiliateLink',
    tag: 'Affiliates',
    summary: 'Follow an affiliate link',
    access: 'public',
    skipGeneralLimits: true,
    excludeErrors: [404],
    params: Type.Object({ code: Type.String({ maxLength: 200 }) }),
    query: Type.Object({
      dest: Type.Optional(Type.String({ maxLength: 2000, description: 'Path or URL of an allowed site' })),
      utm_source: UtmValue,
      utm_medium: UtmValue,
      utm_campaign: UtmValue,
    }),
    produces: 'text/html',
    responseHeaders: ['Location', 'Set-Cookie'],
    success: [302, Type.Null()],
    run: (_, { params, query, http }) => redirects.follow(params.code, query, http),
  })
  query(app, {
    method: 'GET',
    url: '/affiliates/resolve',
    id: 'resolveAffiliateCode',
    tag: 'Affiliates',
    summary: 'Get the affiliate of a code',
    access: 'public',
    query: Type.Object({ code: Type.String({ maxLength: 200, description: 'Code of an affiliate' }) }),
    errors: [404],
    success: [
      200,
      Type.Object({
        code: Type.String({ maxLength: 100, description: 'Code of the affiliate' }),
        displayName: Type.String({ maxLength: 100, description: 'Display name of the affiliate' }),
      }),
    ],
    run: async (q, _, input) => {
      const { code, displayName } = await resolveCode(q, input.query.code)
      return { code, displayName }
    },
  })
}

function ownRoutes(app: App, services: Services): void {
  query(app, {
    ...read,
    method: 'GET',
    url: '/affiliates/me',
    id: 'getOwnAffiliate',
    summary: 'Get your affiliate profile',
    errors: [404],
    success: [200, ProfileRecord],
    run: async (q, ctx) => profileView(services.publicUrl, await ownProfile(q, ctx)),
  })
  query(app, {
    ...read,
    method: 'GET',
    url: '/affiliates/membership',
    id: 'getAffiliateMembership',
    summary: 'Get whether you are in the affiliate programme',
    success: [200, MembershipRecord],
    run: async (q, ctx) => {
      const profile = await maybeOwnProfile(q, ctx)
      return { affiliate: profile ? profileView(services.publicUrl, profile) : null }
    },
  })
  query(app, {
    ...read,
    method: 'GET',
    url: '/affiliates/dashboard',
    id: 'getAffiliateDashboard',
    summary: 'Get clicks, sign-ups and commissions of your links',
    snapshot: true,
    errors: [404],
    success: [200, DashboardRecord],
    run: (q, ctx) => dashboard(q, ctx, services.clock.now()),
  })
  command(app, {
    ...write,
    method: 'POST',
    url: '/affiliates/links/generate',
    id: 'makeAffiliateLink',
    summary: 'Make an affiliate link',
    body: LinkBody,
    errors: [404, 409],
    success: [201, LinkRecord],
    run: (tx, ctx, { body }) => makeLink(tx, services, ctx, body),
  })
}
