import type { FastifyRequest } from 'fastify'
import { COMMON, apiError } from '#platform/kernel/errors'
import {
  optionalKinds,
  policyError,
  requiredKinds,
  requirementsOf,
  type AccessPolicy,
} from '#platform/http/access'
import { hook } from '#platform/http/hook'
import { contextOf, type App } from '#platform/http/operation'
import {
  ANONYMOUS,
  hasScope,
  isAdmin,
  type Anonymous,
  type CredentialKind,
  type Principal,
  type RequestContext,
} from '#platform/http/principal'

export interface Credential {
  kind: CredentialKind
  text: string
  /** Sent in a header that does not accept this kind. */
  isMisplaced: boolean
}

/**
 * Verifies a credential; ApiError 401 or 403 if it is invalid. With `isUnseen` the agent of a key does not count as seen.
 * Implemented by identity.
 */
export type Authenticate = (credential: Credential, options?: { isUnseen?: boolean }) => Promise<Principal>

/**
 * Default deny: a route without a complete access policy stops the start, and no handler runs before the credential of
 * its policy is proved.
 */
export function installAuth(app: App, authenticate: Authenticate): void {
  app.decorateRequest('principal')
  app.addHook('onRoute', ({ method, url, config }) => {
    const error = policyError(config?.access)
    if (error) throw new Error(`${String(method)} ${url} ${error}`)
  })
  app.addHook(
    'onRequest',
    hook(request => {
      const { access = 'public' } = request.routeOptions.config
      request.principal = ANONYMOUS
      const proof = prove(request, authenticate, access)
      return proof && proof.then(principal => void (request.principal = principal))
    }),
  )
}

/** Notes in the audit log who called an operation of admins without being one. Identity provides it. */
export type NoteRefusal = (ctx: RequestContext, operation: string) => Promise<void>

/** Refuses a proven principal that the operation is not for. Apart from the proof, so that limits and the log know who was refused. */
export function installAccess(app: App, noteRefusal: NoteRefusal): void {
  app.addHook(
    'onRequest',
    hook(request => {
      const { method, url, config } = request.routeOptions
      const { principal } = request
      if (principal.via === 'anonymous') return
      const { role, human, scope } = requirementsOf(config.access ?? 'public')
      if (role === 'ADMIN' && !isAdmin(principal))
        return refuseAdmin(
          noteRefusal,
          { ...contextOf(request), principal },
          `${String(method)} ${String(url)}`,
        )
      if (human && !('userType' in principal && principal.userType === 'HUMAN'))
        throw apiError(COMMON.FORBIDDEN, { hint: 'Requires a HUMAN account' })
      if (scope && !hasScope(principal, scope))
        throw apiError(COMMON.FORBIDDEN, { hint: `The key lacks the scope ${scope}` })
    }),
  )
}

async function refuseAdmin(noteRefusal: NoteRefusal, ctx: RequestContext, operation: string): Promise<never> {
  await noteRefusal(ctx, operation)
  throw apiError(COMMON.FORBIDDEN, { hint: 'Requires the role ADMIN' })
}

/** Nothing where the operation takes no credential. */
function prove(
  request: FastifyRequest,
  authenticate: Authenticate,
  access: AccessPolicy,
): Promise<Principal | Anonymous> | undefined {
  const accepted = requiredKinds(access)
  const optional = optionalKinds(access)
  if (!accepted.length && !optional.length) return undefined
  const presented = credentialsOf(request)
  if (!accepted.length) return proveOptional(request, { presented, authenticate, accepted: optional })
  if (!presented.length)
    throw apiError(COMMON.UNAUTHORIZED, {
      hint: request.cookieSession?.isForeign ? FOREIGN : `Send a credential: ${describeKinds(accepted)}`,
    })
  const credential = presented.find(({ kind, isMisplaced }) => accepted.includes(kind) && !isMisplaced)
  if (!credential)
    throw apiError(COMMON.INVALID_AUTH_TYPE, { hint: `This operation takes ${describeKinds(accepted)}` })
  return authenticate(credential, { isUnseen: requirementsOf(access).managesKeys ?? false })
}

const FOREIGN =
  'The session cookie counts only in requests of pages of this service: Sec-Fetch-Site must be same-origin, or Origin that of the service'

interface Proof {
  presented: readonly Credential[]
  authenticate: Authenticate
  accepted: readonly CredentialKind[]
}

// On public operations an invalid credential is ignored. What the owner sees beyond the public data takes the read scope.
// The web console must not show its owner what visitors see: it refreshes its session, then repeats the request (ADR 22).
async function proveOptional(
  { cookieSession }: FastifyRequest,
  { presented, authenticate, accepted }: Proof,
): Promise<Principal | Anonymous> {
  const usable = presented.find(({ kind, isMisplaced }) => accepted.includes(kind) && !isMisplaced)
  const principal = usable && (await authenticate(usable).catch(() => undefined))
  if (!principal && cookieSession?.isMarked) throw apiError(COMMON.UNAUTHORIZED, { hint: EXPIRED })
  return principal && hasScope(principal, 'agent:read') ? principal : ANONYMOUS
}

const EXPIRED = 'The access token in the cookie has expired: refresh the session with POST /auth/refresh'

type Header = 'authorization' | 'x-agent-api-key' | 'x-api-key'

/** What each header accepts. */
const HEADERS: Record<Header, readonly CredentialKind[]> = {
  authorization: ['jwt', 'sk', 'rk'],
  'x-agent-api-key': ['sa', 'sk'],
  'x-api-key': ['sk', 'rk'],
}
const HEADER_NAMES = Object.keys(HEADERS) as Header[]

/**
 * The credentials of a request, the bearer first. The session cookie counts only where no header is, and not for clients that
 * send bearers.
 */
export function credentialsOf({ headers, cookieSession, routeOptions }: FastifyRequest): Credential[] {
  const sendsBearers = routeOptions.config.bearerMetadata !== undefined
  if (cookieSession?.accessToken && !sendsBearers && HEADER_NAMES.every(name => headers[name] === undefined))
    return [{ kind: 'jwt', text: cookieSession.accessToken, isMisplaced: false }]
  const credentials: Credential[] = []
  for (const header of HEADER_NAMES) {
    const value = headers[header]
    if (typeof value !== 'string') continue
    const text = header === 'authorization' ? /^Bearer\s+(\S+)\s*$/i.exec(value)?.[1] : value
    if (!text) continue
    const kind = kindOf(text, header)
    const takesAny = header === 'authorization' && sendsBearers
    credentials.push({ kind, text, isMisplaced: !takesAny && !HEADERS[header].includes(kind) })
  }
  return credentials
}

/** The kind of a credential by its prefix. Other text is an access token as a bearer or in three parts, else a malformed key. */
function kindOf(text: string, header: Header): CredentialKind {
  const prefix = /^(sk|sa|rk)_/.exec(text)?.[1] as CredentialKind | undefined
  return (
    prefix ??
    (header === 'authorization' || text.split('.').length === 3 ? 'jwt' : (HEADERS[header][0] ?? 'sk'))
  )
}

const NAMES: Record<CredentialKind, string> = {
  jwt: 'an access token (Authorization: Bearer)',
  sk: 'an sk_ key (Authorization: Bearer, x-api-key or x-agent-api-key)',
  sa: 'an sa_ key (x-agent-api-key)',
  rk: 'an rk_ routing key (Authorization: Bearer or x-api-key)',
}
const describeKinds = (kinds: readonly CredentialKind[]): string =>
  kinds.map(kind => NAMES[kind]).join(' or ')
