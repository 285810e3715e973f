import { COMMON, apiError } from '../kernel/errors.ts'

export const SCOPES = ['agent:read', 'agent:write', 'ap2:negotiate', 'ap2:execute'] as const
export type Scope = (typeof SCOPES)[number]

/** The kind of a credential: an access token, or a key by its prefix. */
export type CredentialKind = 'jwt' | 'sk' | 'sa' | 'rk'

interface AccountRights {
  accountId: string
  userType: 'HUMAN' | 'AGENT'
  role: 'USER' | 'ADMIN'
}

/** An account that signed in. */
export interface SessionPrincipal extends AccountRights {
  via: 'session'
  sessionId: string
}

/** An `sk_` key: it acts for its account, or only for the agent or organization that it is bound to. */
export interface AccountKeyPrincipal extends AccountRights {
  via: 'account-key'
  keyId: string
  serviceAccountId: string | null
  /** Where the key has a limit for what it pays, each payment checks it in its transaction. */
  hasSpendingLimit: boolean
  scopes: readonly Scope[]
  bound: { agentId: string } | { organizationId: string } | null
}

/** An `sa_` key: it acts for one agent. */
export interface AgentKeyPrincipal {
  via: 'agent-key'
  accountId: string
  keyId: string
  scopes: readonly Scope[]
  agentId: string
}

/** An `rk_` key: it sends prompts through the routing gateway at the cost of its account, and does nothing else. */
export interface RoutingKeyPrincipal {
  via: 'routing-key'
  accountId: string
  keyId: string
}

/** The authenticated caller, as proved by its credential. Identity is never taken from a body. */
export type Principal = SessionPrincipal | AccountKeyPrincipal | AgentKeyPrincipal | RoutingKeyPrincipal

/** A caller without a credential, on public operations. */
export interface Anonymous {
  via: 'anonymous'
}
export const ANONYMOUS: Anonymous = { via: 'anonymous' }

/** Who sent a request, and from where. Address, user agent and request id are personal data: ADR 7. */
export interface RequestContext<P extends Principal | Anonymous = Principal> {
  principal: P
  ip: string
  userAgent: string | null
  requestId: string
}

/** The context of a request that may come without a credential. */
export type PublicContext = RequestContext<Principal | Anonymous>

const KINDS = { session: 'jwt', 'account-key': 'sk', 'agent-key': 'sa', 'routing-key': 'rk' } as const

export const credentialKind = ({ via }: Principal): CredentialKind => KINDS[via]

/** Narrows the context to an authenticated caller. */
export const isAuthenticated = (ctx: PublicContext): ctx is RequestContext =>
  ctx.principal.via !== 'anonymous'

/** The one agent that a key acts for: that of every `sa_` key, and of an `sk_` key that was made for one. */
export function boundAgent(principal: Principal): string | null {
  if (principal.via === 'agent-key') return principal.agentId
  if (principal.via !== 'account-key' || principal.bound === null) return null
  return 'agentId' in principal.bound ? principal.bound.agentId : null
}

/** The one organization that an `sk_` key acts for. */
export function boundOrganization(principal: Principal): string | null {
  if (principal.via !== 'account-key' || principal.bound === null) return null
  return 'organizationId' in principal.bound ? principal.bound.organizationId : null
}

/** True if the credential acts for one agent or organization only, not for its whole account. */
export const isBound = (principal: Principal): boolean =>
  principal.via === 'agent-key' || (principal.via === 'account-key' && principal.bound !== null)

/** 403 for a key that is bound to one agent or organization: further agents are the account's. */
export function requireUnboundCredential(ctx: RequestContext): void {
  if (isBound(ctx.principal))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The key is bound to one agent or organization' })
}

export const isAdmin = (principal: Principal): boolean =>
  (principal.via === 'session' || principal.via === 'account-key') && principal.role === 'ADMIN'

/** True if the credential has the scope; an access token is not limited by scopes, and a routing key has none. */
export const hasScope = (principal: Principal, scope: Scope): boolean =>
  principal.via === 'session' || (principal.via !== 'routing-key' && principal.scopes.includes(scope))
