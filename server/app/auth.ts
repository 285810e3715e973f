import type { FastifyRequest } from 'fastify'
import { COMMON, fault } from '#platform/fault'
import { ACCEPTED, type Actor, type AuthWord, type Scope } from '#platform/http/actor'
import type { App } from '#platform/http/route'

export interface Credential { kind: Actor['kind']; text: string }

/** Proves a credential; fault 401 or 403 when it is no good. Identity provides it. */
export type Authenticate = (credential: Credential) => Promise<Actor>

/** Default deny: a route without a credential rule stops the start, and no handler runs before its rule held. */
export function installAuth(app: App, authenticate: Authenticate): void {
  app.decorateRequest('actor', null)
  app.addHook('onRoute', options => {
    if (!options.config?.auth && !options.url.startsWith('/docs')) throw new Error(`${String(options.method)} ${options.url} declares no credential rule`)
  })
  app.addHook('onRequest', async request => {
    const { auth, scope } = request.routeOptions.config
    if (auth) request.actor = await admit(request, authenticate, { auth, scope })
  })
}

async function admit(request: FastifyRequest, authenticate: Authenticate, rule: { auth: AuthWord; scope?: Scope }): Promise<Actor | null> {
  const accepted = ACCEPTED[rule.auth]
  const presented = credentialsOf(request)
  // Where none is needed a credential only says more: a stale one is no reason to refuse.
  if (!accepted.length) return presented[0] ? authenticate(presented[0]).catch(() => null) : null
  if (!presented.length) throw fault(COMMON.UNAUTHORIZED, { hint: 'send a credential in the Authorization header' })
  const credential = presented.find(each => accepted.includes(each.kind))
  if (!credential) throw fault(COMMON.INVALID_AUTH_TYPE, { hint: `this operation takes ${describeKinds(accepted)}` })
  const actor = await authenticate(credential)
  if (rule.auth === 'admin' && actor.role !== 'ADMIN') throw fault(COMMON.FORBIDDEN, { hint: 'for admins only' })
  if (rule.auth === 'jwt-human' && actor.userType !== 'HUMAN') throw fault(COMMON.FORBIDDEN, { hint: 'for HUMAN accounts only' })
  if (rule.scope && actor.scopes && !actor.scopes.includes(rule.scope)) throw fault(COMMON.FORBIDDEN, { hint: `the key lacks the scope ${rule.scope}` })
  return actor
}

const HEADERS = ['x-agent-api-key', 'x-api-key'] as const

/** The credentials of a request, the bearer first; their kind is told by the prefix. */
export function credentialsOf(request: FastifyRequest): Credential[] {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
  const texts = [bearer, ...HEADERS.map(name => request.headers[name])].filter(text => typeof text === 'string' && text !== '')
  return (texts as string[]).map(text => ({ kind: kindOf(text), text }))
}

const kindOf = (text: string): Actor['kind'] => (/^(sk|sa|rk)_/.exec(text)?.[1] as Actor['kind'] | undefined) ?? 'jwt'

const NAMES: Record<Actor['kind'], string> = {
  jwt: 'an access token', sk: 'an sk_ key', sa: 'an sa_ key (x-agent-api-key)', rk: 'an rk_ routing key',
}
const describeKinds = (kinds: readonly Actor['kind'][]): string => kinds.map(kind => NAMES[kind]).join(' or ')
