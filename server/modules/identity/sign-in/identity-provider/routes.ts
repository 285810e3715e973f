import { Type } from '#platform/http/type'
import { page, type App } from '#platform/http/operations'
import { redirect, type ResponseExtra } from '#platform/http/response'
import { invalid } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { CLICK_COOKIE } from '../../account/account.ts'
import { cookieOf } from '../../credentials/cookie.ts'
import { sessionCookies } from '../../credentials/session-cookie.ts'
import { beginOidc, endOidc, STATE_SECONDS } from './oidc.ts'

const ClientState = Type.Optional(
  Type.String({
    pattern: '^[\\w-]{16,128}$',
    description:
      'Random value of the front end. The fragment of /auth/done contains it; reject a fragment with another value.',
  }),
)
const SessionKind = Type.Optional(
  Type.Literal('cookie', {
    description:
      'The sign-in of the web console: it ends at /app with a session in cookies, at /login#mfaToken=… where a second ' +
      'factor is required, or at /login?error=… with a code.',
  }),
)
const Text = Type.Optional(Type.String({ maxLength: 4096 }))

/** Signing in at an external identity provider: OpenID Connect, authorization code with PKCE. */
export function oidcRoutes(app: App, services: Services): void {
  const common = {
    method: 'GET',
    tag: 'Authentication',
    access: 'public',
    produces: 'text/html',
    success: [302, Type.String()],
  } as const
  const cookie = cookieOf(services, 'svc_state', '/auth/identity-provider')
  const leaveFor = (location: string, extra: ResponseExtra) =>
    redirect(location, {
      ...extra,
      headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    })
  page(app, {
    ...common,
    url: '/auth/identity-provider/login',
    id: 'beginIdentityProviderLogin',
    summary: 'Start a sign-in at the identity provider',
    responseHeaders: ['Set-Cookie'],
    query: Type.Object({
      referralSource: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'Code of an affiliate, as `affiliateToken` of POST /auth/register',
        }),
      ),
      clientState: ClientState,
      session: SessionKind,
    }),
    run: async (_, { query, http }) => {
      const clickId = http.cookies[CLICK_COOKIE]
      const begun = { ...query, ...(clickId && isId(clickId) ? { clickId } : {}) }
      const { location, cookie: value } = await beginOidc(services, begun)
      const options = { ...cookie.options, maxAge: STATE_SECONDS }
      return leaveFor(location, { cookies: [{ name: cookie.name, value, options }] })
    },
  })
  page(app, {
    ...common,
    url: '/auth/identity-provider/callback',
    id: 'endIdentityProviderLogin',
    summary: 'Complete a sign-in at the identity provider',
    description:
      'The tokens are in the fragment of the page /auth/done: accessToken, refreshToken, expiresIn; ' +
      'or mfaRequired, mfaToken; or error, a code. Each contains `clientState`; accept a fragment only with your value.',
    // Every failure leads to the error page.
    excludeErrors: [500, 503],
    query: Type.Object({ state: Text, code: Text, error: Text }),
    run: async (ctx, { query, http }) => {
      if (!query.state || !(query.code ?? query.error)) throw invalid('state and code are required')
      const { name, options } = cookie
      const { location, pair } = await endOidc(services, ctx, { url: http.url, cookie: http.cookies[name] })
      const session = pair ? sessionCookies(services, pair) : []
      return leaveFor(location, { cookies: [{ name, value: null, options }, ...session] })
    },
  })
}
