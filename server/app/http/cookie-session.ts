import type { FastifyReply, FastifyRequest } from 'fastify'
import { credentials } from '#identity'
import { requiredKinds } from '#platform/http/access'
import { hook, sendHook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import { setCookies } from '#platform/http/set-cookies'
import { invalid } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { isRecord } from '#platform/kernel/unknown'
import { isSafe, isSameOrigin } from './same-origin.ts'

/** The session of a browser, whose tokens are in cookies. */
interface CookieSession {
  /** The access token; null without a cookie, and if the request may come from another site. */
  accessToken: string | null
  /** True if there is an access token that does not count, because the request may come from another site. */
  isForeign: boolean
  /** True if tokens of the response go into cookies, and the refresh token comes from one. */
  isRequested: boolean
  /** True if a page that gets its tokens as cookies has a session, also one whose access token has expired. */
  isMarked: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    cookieSession: CookieSession | null
  }
}

/** A token that nobody has, in place of a missing cookie: refreshing is then a 401, and logging out is no error. */
const NO_TOKEN = 'none'

/**
 * Sessions in cookies (ADR 22). Goes before the check of credentials. A request with the header `x-svc-session: cookie` gets
 * the tokens of any response as cookies, and presents its refresh token as one.
 */
export function installCookieSessions(app: App, { publicUrl }: Pick<Services, 'publicUrl'>): void {
  const services = { publicUrl }
  app.decorateRequest('cookieSession', null)
  app.addHook(
    'onRequest',
    hook(request => {
      const isAsked = request.headers['x-svc-session'] === 'cookie'
      if (!isAsked && request.headers.cookie === undefined) return
      const isOwn = isSameOrigin(request, publicUrl)
      if (isAsked && !isOwn) requireNoSignIn(request)
      const { accessToken, isMarked } = credentials.readSessionCookies(services, request)
      request.cookieSession = {
        accessToken: (isOwn && accessToken) || null,
        isForeign: !isOwn && Boolean(accessToken),
        isRequested: isAsked && isOwn,
        isMarked: isAsked && isOwn && isMarked,
      }
    }),
  )
  app.addHook(
    'preValidation',
    hook(request => {
      if (!request.cookieSession?.isRequested || !takesRefreshToken(request)) return
      const { refreshToken = NO_TOKEN } = credentials.readSessionCookies(services, request)
      request.body = { ...(isRecord(request.body) ? request.body : {}), refreshToken }
    }),
  )
  app.addHook('preSerialization', (request, reply, payload: unknown, done) => {
    if (!request.cookieSession?.isRequested || !isTokenPair(payload)) return done(null, payload)
    setCookies(reply, credentials.sessionCookies(services, payload))
    done(null, { ...payload, accessToken: '', refreshToken: '' })
  })
  app.addHook(
    'onSend',
    sendHook((request, reply) => {
      if (request.cookieSession?.isRequested && takesRefreshToken(request) && hasEndedSession(request, reply))
        setCookies(reply, credentials.removedSessionCookies(services))
    }),
  )
}

/**
 * A sign-in that a foreign page starts could sign the visitor in to the account of an attacker, so it is refused before it
 * uses up anything. Operations that require a credential find none.
 */
function requireNoSignIn({ method, routeOptions: { url, config } }: FastifyRequest): void {
  if (url === undefined || isSafe(method) || requiredKinds(config.access ?? 'public').length) return
  throw invalid(
    'x-svc-session: cookie is for pages of this service: their browser sends Sec-Fetch-Site: same-origin, or the Origin of the service',
  )
}

const takesRefreshToken = ({ routeOptions: { config } }: FastifyRequest): boolean =>
  config.fields?.includes('refreshToken') === true

// A refresh token that another tab used a moment ago is a 401 too: the cookies of that tab must stay.
const hasEndedSession = ({ refusal }: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  statusCode === 204 || (statusCode === 401 && refusal?.code !== 'REFRESH_TOKEN_USED')

type TokenPair = Parameters<typeof credentials.sessionCookies>[1]

const isTokenPair = (payload: unknown): payload is TokenPair =>
  isRecord(payload) && typeof payload.accessToken === 'string' && typeof payload.refreshToken === 'string'
