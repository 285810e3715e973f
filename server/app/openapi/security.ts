import type { FastifyContextConfig } from 'fastify'
import { ACCEPTED, type Actor, type AuthWord } from '#platform/http/actor'
import type { Operation } from './model.ts'

const header = (name: string, description: string) => ({ type: 'apiKey' as const, in: 'header' as const, name, description })
const bearer = (bearerFormat: string, description: string) => ({ type: 'http' as const, scheme: 'bearer', bearerFormat, description })

/** The credentials, in the order in which "Authorize" on /docs lists them. */
export const SECURITY_SCHEMES = {
  accessToken: bearer('JWT', 'Access token from a sign-in or registration, valid for 15 minutes: `Authorization: Bearer <token>`. Renew it with `POST /auth/refresh`.'),
  accountKey: header('x-api-key', 'API key of an account (`sk_`). It acts as the account, within its scopes. `x-agent-api-key` accepts it too.'),
  accountKeyAsBearer: bearer('sk_', 'The same API key of an account: `Authorization: Bearer sk_...`.'),
  agentKey: header('x-agent-api-key', 'Key of one agent (`sa_`), issued when the agent is created or announced.'),
  routingKey: bearer('rk_', 'Routing key of the model gateway: `Authorization: Bearer rk_...`, or the header `x-api-key`.'),
  processorSignature: header('payment-processor-signature', 'Webhooks only: `t=[unix seconds],v1=[HMAC-SHA256 of "t.body"]`.'),
  internalSecret: header('x-internal-secret', 'Web front end of the operator only: the setting INTERNAL_SECRET.'),
}
type SchemeName = keyof typeof SECURITY_SCHEMES

const SCHEMES: Record<Actor['kind'], readonly SchemeName[]> = {
  jwt: ['accessToken'], sk: ['accountKey', 'accountKeyAsBearer'], sa: ['agentKey'], rk: ['routingKey'],
}

const SENTENCES: Record<AuthWord, string> = {
  none: '',
  jwt: 'Requires an access token.',
  'jwt-human': 'Requires the access token of a HUMAN account.',
  admin: 'Requires the access token of an admin.',
  service: 'Requires an access token or an account key (`sk_`).',
  agent: 'Requires an access token, an account key (`sk_`) or an agent key (`sa_`).',
  'agent-key': 'Requires an agent key (`sa_`) or an account key (`sk_`).',
  'agent-key|jwt': 'Requires an agent key (`sa_`), an account key (`sk_`) or an access token.',
  routing: 'Requires a routing key (`rk_`).',
  signature: 'Requires the signature of the payment processor.',
  secret: 'Requires the shared secret of the web front end.',
}

/** Documents who may call the operation: security requirements, required role and scope, and one sentence for readers. */
export function describeAccess(operation: Operation, { auth = 'none', optionalAuth, scope }: FastifyContextConfig): string {
  operation.security = auth === 'none' ? [...(optionalAuth ? requirementsOf(optionalAuth) : []), {}] : requirementsOf(auth)
  if (auth === 'admin') operation['x-required-role'] = 'ADMIN'
  if (scope) operation['x-required-scope'] = scope
  if (optionalAuth) return 'No credential is required; with one, the response can include what only its holder may see.'
  return `${SENTENCES[auth]}${scope ? ` A key needs the scope \`${scope}\`.` : ''}`
}

function requirementsOf(auth: AuthWord): Record<string, string[]>[] {
  if (auth === 'signature') return [{ processorSignature: [] }]
  if (auth === 'secret') return [{ internalSecret: [] }]
  return ACCEPTED[auth].flatMap(kind => SCHEMES[kind]).map(name => ({ [name]: [] }))
}

/** The schemes that some operation uses. */
export function usedSchemes(operations: readonly Operation[]): Record<string, unknown> {
  const used = new Set(operations.flatMap(({ security = [] }) => security.flatMap(requirement => Object.keys(requirement))))
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)))
}
