import type { HttpRequest } from '#platform/http/operation'
import type { Cookie } from '#platform/http/response'
import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { cookieOf } from './cookie.ts'
import { REFRESH_LIFE, type TokenPair } from './session.ts'

/*
 * A session in cookies, for the web console: its scripts never see a token (ADR 22). The third cookie is no secret: it
 * shows the script that there is a session, so that a visitor without one causes no refused requests.
 */

type Origin = Pick<Services, 'publicUrl'>

const REFRESH_SECONDS = REFRESH_LIFE / SECOND

const access = (services: Origin) => cookieOf(services, 'svc_access', '/')
// Sent only where it is needed, unless the prefix of https requires the path "/".
const refresh = (services: Origin) => cookieOf(services, 'svc_refresh', '/auth')
function mark(services: Origin) {
  const { name, options } = cookieOf(services, 'svc_signed_in', '/')
  return { name, options: { ...options, httpOnly: false } }
}

/** The tokens that a request brings in cookies, and whether the browser has a session, which may have to be refreshed. */
export const readSessionCookies = (services: Origin, { cookies }: Pick<HttpRequest, 'cookies'>) => ({
  accessToken: cookies[access(services).name],
  refreshToken: cookies[refresh(services).name],
  isMarked: cookies[mark(services).name] !== undefined,
})

/** The cookies of a session that began or was refreshed. */
export function sessionCookies(
  services: Origin,
  { accessToken, refreshToken, expiresIn }: TokenPair,
): Cookie[] {
  const of = ({ name, options }: ReturnType<typeof cookieOf>, value: string, maxAge: number): Cookie => ({
    name,
    value,
    options: { ...options, maxAge },
  })
  return [
    of(access(services), accessToken, expiresIn),
    of(refresh(services), refreshToken, REFRESH_SECONDS),
    of(mark(services), '1', REFRESH_SECONDS),
  ]
}

/** Removes the cookies of a session that has ended. */
export const removedSessionCookies = (services: Origin): Cookie[] =>
  [access, refresh, mark].map(cookie => ({ ...cookie(services), value: null }))
