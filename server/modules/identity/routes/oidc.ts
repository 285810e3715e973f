import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { invalid } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { cookieOf } from '../cookie.ts'
import { beginOidc, endOidc, STATE_SECONDS } from '../oidc.ts'
import { originOf } from '../session.ts'

const ClientState = Type.Optional(
  Type.String({
    pattern: '^[\\w-]{16,128}$',
    description: 'Random value that the front end keeps: it returns in the fragment of /auth/done, which must bring the same one.',
  }),
)
const Text = Type.Optional(Type.String({ maxLength: 4096 }))

/** Signing in at an external identity provider: OpenID Connect, authorization code with PKCE. */
export function oidcRoutes(app: App, services: Services): void {
  const common = { method: 'GET' as const, tag: 'Authentication', auth: 'none' as const, reply: { 302: Type.String() } }
  const cookie = cookieOf(services, 'svc_state', '/auth/identity-provider')
  const leave = (reply: FastifyReply, location: string) =>
    reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer').redirect(location, 302)
  route(app, {
    ...common,
    url: '/auth/identity-provider/login',
    id: 'beginIdentityProviderLogin',
    summary: "Start a sign-in at the identity provider",
    responseHeaders: ['Set-Cookie'],
    query: Type.Object({ referralSource: Type.Optional(Type.String({ maxLength: 100, description: 'Code of an affiliate, as `affiliateToken` of POST /auth/register' })), clientState: ClientState }),
    handle: async ({ query, reply }) => {
      const { location, cookie: state } = await beginOidc(services, query)
      return leave(reply.setCookie(cookie.name, state, { ...cookie.options, maxAge: STATE_SECONDS }), location)
    },
  })
  route(app, {
    ...common,
    url: '/auth/identity-provider/callback',
    id: 'endIdentityProviderLogin',
    summary: 'Complete a sign-in at the identity provider',
    description:
      'The tokens stand in the fragment of the page /auth/done: accessToken, refreshToken, expiresIn; ' +
      'or mfaRequired, mfaToken; or error, a code. `clientState` comes back with each; accept no fragment without yours.',
    // Whatever fails leads to the error page.
    never: [500, 503],
    query: Type.Object({ state: Text, code: Text, error: Text }),
    handle: async ({ query, request, reply }) => {
      if (!query.state || !(query.code ?? query.error)) throw invalid('state and code are required')
      const location = await endOidc(services, {
        url: request.url,
        cookie: request.cookies[cookie.name],
        origin: originOf(request),
      })
      return leave(reply.clearCookie(cookie.name, cookie.options), location)
    },
  })
}
