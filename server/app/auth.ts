import type { FastifyRequest } from 'fastify'
import { COMMON, fault } from '#platform/fault'
import { ACCEPTED, type Actor } from '#platform/http/actor'
import type { App } from '#platform/http/route'

export interface Credential {
  kind: Actor['kind']
  text: string
  /** Sent in a header that does not accept this kind. */
  isMisplaced: boolean
}

/** Proves a credential; fault 401 or 403 when it is no good. Identity provides it. */
export type Authenticate = (credential: Credential) => Promise<Actor>

/** Default deny: a route without a credential rule stops the start, and no handler runs before its rule held. */
export function installAuth(app: App, authenticate: Authenticate): void {
  app.decorateRequest('actor', null)
  app.addHook('onRoute', options => {
    if (!options.config?.auth && !options.url.startsWith('/docs')) throw new Error(`${String(options.method)} ${options.url} declares no credential rule`)
    if (options.config?.auth && ACCEPTED[options.config.auth].includes('sk') && !options.config.scope) throw new Error(`${String(options.method)} ${options.url} accepts sk_ keys and names no scope`)
  })
  app.addHook('onRequest', async request => {
    const { auth } = request.routeOptions.config
    if (auth) request.actor = await prove(request, authenticate, ACCEPTED[auth])
  })
}

/** Notes in the audit log who called an operation of admins without being one. Identity provides it. */
export type NoteRefusal = (actor: Actor, request: { ip: string; requestId: string; operation: string }) => Promise<void>

/** Refuses a proven principal that the operation is not for. Apart from the proof, so that limits and the log know who was refused. */
export function installAccess(app: App, noteRefusal: NoteRefusal): void {
  app.addHook('onRequest', async ({ actor, ip, id: requestId, routeOptions: { method, url, config: { auth, scope } } }) => {
    if (!actor || !auth || !ACCEPTED[auth].length) return
    if (auth === 'admin' && actor.role !== 'ADMIN') {
      await noteRefusal(actor, { ip, requestId, operation: `${String(method)} ${String(url)}` })
      throw fault(COMMON.FORBIDDEN, { hint: 'Requires the role ADMIN' })
    }
    if (auth === 'jwt-human' && actor.userType !== 'HUMAN') throw fault(COMMON.FORBIDDEN, { hint: 'Requires a HUMAN account' })
    if (scope && actor.scopes && !actor.scopes.includes(scope)) throw fault(COMMON.FORBIDDEN, { hint: `The key lacks the scope ${scope}` })
  })
}

async function prove(request: FastifyRequest, authenticate: Authenticate, accepted: readonly Actor['kind'][]): Promise<Actor | null> {
  const presented = credentialsOf(request)
  // On public operations a credential is optional; an invalid one is ignored.
  if (!accepted.length) {
    const usable = presented.find(({ isMisplaced }) => !isMisplaced)
    return usable ? authenticate(usable).then(mayRead, () => null) : null
  }
  if (!presented.length) throw fault(COMMON.UNAUTHORIZED, { hint: 'Send a credential in the Authorization header' })
  const credential = presented.find(({ kind, isMisplaced }) => accepted.includes(kind) && !isMisplaced)
  if (!credential) throw fault(COMMON.INVALID_AUTH_TYPE, { hint: `This operation takes ${describeKinds(accepted)}` })
  return authenticate(credential)
}

// What a public operation shows to its owner beyond the public data is read with the scope for reads.
const mayRead = (actor: Actor): Actor | null => (actor.scopes && !actor.scopes.includes('agent:read') ? null : actor)

type Header = 'authorization' | 'x-agent-api-key' | 'x-api-key'

/** What each header accepts. */
const HEADERS: Record<Header, readonly Actor['kind'][]> = {
  authorization: ['jwt', 'sk', 'rk'],
  'x-agent-api-key': ['sa', 'sk'],
  'x-api-key': ['sk', 'rk'],
}

/** The credentials of a request, the bearer first. */
export function credentialsOf({ headers }: FastifyRequest): Credential[] {
  return (Object.keys(HEADERS) as Header[]).flatMap(header => {
    const value = headers[header]
    const text = header === 'authorization' ? /^Bearer\s+(\S+)\s*$/i.exec(String(value ?? ''))?.[1] : value
    if (typeof text !== 'string' || text === '') return []
    const kind = kindOf(text, header)
    return [{ kind, text, isMisplaced: !HEADERS[header].includes(kind) }]
  })
}

/** The kind of a credential by its prefix. Other text is an access token as a bearer or in three parts, else a malformed key. */
function kindOf(text: string, header: Header): Actor['kind'] {
  const prefix = /^(sk|sa|rk)_/.exec(text)?.[1] as Actor['kind'] | undefined
  return prefix ?? (header === 'authorization' || text.split('.').length === 3 ? 'jwt' : HEADERS[header][0] ?? 'sk')
}

const NAMES: Record<Actor['kind'], string> = {
  jwt: 'an access token (Authorization: Bearer)', sk: 'an sk_ key (Authorization: Bearer, x-api-key or x-agent-api-key)',
  sa: 'an sa_ key (x-agent-api-key)', rk: 'an rk_ routing key (Authorization: Bearer or x-api-key)',
}
const describeKinds = (kinds: readonly Actor['kind'][]): string => kinds.map(kind => NAMES[kind]).join(' or ')
