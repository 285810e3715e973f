/** Who calls: what the credential of a request proved. Identity is never taken from a body. */
export interface Actor {
  /** The kind of credential: an access token, or a key by its prefix. */
  kind: 'jwt' | 'sk' | 'sa' | 'rk'
  accountId: string
  userType: 'HUMAN' | 'AGENT'
  role: 'USER' | 'ADMIN'
  /** What a key may do; null where the credential is not limited by scopes. */
  scopes: readonly Scope[] | null
  /** The one agent that a key is bound to: every `sa_` key, and an `sk_` key that was made for one. */
  agentId: string | null
  /** The one organization that an `sk_` key is bound to. */
  organizationId: string | null
  /** The key, or null for an access token. */
  keyId: string | null
  /** The sign-in that an access token belongs to. */
  sessionId: string | null
}

/** Whether the credential is good for one agent or organization alone, not for its whole account. */
export const isBound = ({ agentId, organizationId }: Pick<Actor, 'agentId' | 'organizationId'>): boolean =>
  agentId !== null || organizationId !== null

export const SCOPES = ['agent:read', 'agent:write', 'ap2:negotiate', 'ap2:execute'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Which credentials an operation takes (the column `auth` of the contract):
 * `none` public, a credential is optional; `jwt` access token only; `jwt-human` of a HUMAN account;
 * `admin` access token of an admin; `service` access token or `sk_`; `agent` these and `sa_`;
 * `agent-key` `sa_` or `sk_` only; `agent-key|jwt` these or an access token; `routing` `rk_`;
 * `signature` and `secret` are checked by the route itself.
 */
export const AUTH_WORDS = [
  'none', 'jwt', 'jwt-human', 'admin', 'service', 'agent', 'agent-key', 'agent-key|jwt', 'routing', 'signature', 'secret',
] as const
export type AuthWord = (typeof AUTH_WORDS)[number]

/** The kinds of credential behind each word; an empty list means that no credential is needed. */
export const ACCEPTED: Record<AuthWord, readonly Actor['kind'][]> = {
  none: [],
  jwt: ['jwt'],
  'jwt-human': ['jwt'],
  admin: ['jwt'],
  service: ['jwt', 'sk'],
  agent: ['jwt', 'sk', 'sa'],
  'agent-key': ['sa', 'sk'],
  'agent-key|jwt': ['sa', 'sk', 'jwt'],
  routing: ['rk'],
  signature: [],
  secret: [],
}
