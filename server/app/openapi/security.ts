import type { FastifyContextConfig } from 'fastify'
import {
  optionalKinds,
  proofOf,
  requiredKinds,
  requirementsOf,
  type AccessPolicy,
} from '#platform/http/access'
import type { CredentialKind } from '#platform/http/principal'
import type { Operation } from './model.ts'

const header = (name: string, description: string) => ({
  type: 'apiKey' as const,
  in: 'header' as const,
  name,
  description,
})
const bearer = (bearerFormat: string, description: string) => ({
  type: 'http' as const,
  scheme: 'bearer',
  bearerFormat,
  description,
})

/** The credentials, in the order in which documents list them. */
export const SECURITY_SCHEMES = {
  accessToken: bearer(
    'JWT',
    'Access token from a sign-in or registration, valid for 15 minutes: `Authorization: Bearer <token>`. Renew it with `POST /auth/refresh`.',
  ),
  accountKey: header(
    'x-api-key',
    'API key of an account (`sk_`). It acts as the account, within its scopes. `x-agent-api-key` accepts it too.',
  ),
  accountKeyAsBearer: bearer('sk_', 'The same API key of an account: `Authorization: Bearer sk_...`.'),
  agentKey: header(
    'x-agent-api-key',
    'Key of one agent (`sa_`), issued when the agent is created or announced.',
  ),
  routingKey: bearer(
    'rk_',
    'Routing key of the model gateway: `Authorization: Bearer rk_...`, or the header `x-api-key`.',
  ),
  processorSignature: header(
    'payment-processor-signature',
    'Webhooks only: `t=[unix seconds],v1=[HMAC-SHA256 of "t.body"]`.',
  ),
  internalSecret: header(
    'x-internal-secret',
    'Web front end of the operator only: the setting INTERNAL_SECRET.',
  ),
}
type SchemeName = keyof typeof SECURITY_SCHEMES

const SCHEMES: Record<CredentialKind, readonly SchemeName[]> = {
  jwt: ['accessToken'],
  sk: ['accountKey', 'accountKeyAsBearer'],
  sa: ['agentKey'],
  rk: ['routingKey'],
}

const NAMES: Record<CredentialKind, string> = {
  jwt: 'an access token',
  sk: 'an account key (`sk_`)',
  sa: 'an agent key (`sa_`)',
  rk: 'a routing key (`rk_`)',
}
const PROOFS = {
  signature: { scheme: 'processorSignature', sentence: 'Requires the signature of the payment processor.' },
  secret: { scheme: 'internalSecret', sentence: 'Requires the shared secret of the web front end.' },
} as const

/** Documents who may call the operation: security requirements, required role and scope, and one sentence for readers. */
export function describeAccess(operation: Operation, { access = 'public' }: FastifyContextConfig): string {
  const proof = proofOf(access)
  const required = requiredKinds(access)
  const optional = optionalKinds(access)
  if (proof) operation.security = [{ [PROOFS[proof].scheme]: [] }]
  else operation.security = required.length ? schemesOf(required) : [...schemesOf(optional), {}]
  const { role, scope } = requirementsOf(access)
  if (role) operation['x-required-role'] = role
  if (scope) operation['x-required-scope'] = scope
  if (optional.length)
    return 'No credential is required; with one, the response can include what only its holder may see.'
  return proof ? PROOFS[proof].sentence : sentenceOf(access)
}

function sentenceOf(access: AccessPolicy): string {
  const { role, human, scope } = requirementsOf(access)
  const kinds = requiredKinds(access).map(kind => NAMES[kind])
  if (!kinds.length) return ''
  if (role === 'ADMIN') return 'Requires the access token of an admin.'
  if (human) return 'Requires the access token of a HUMAN account.'
  const last = kinds.at(-1) ?? ''
  const rest = kinds.slice(0, -1)
  const sentence = `Requires ${rest.length ? `${rest.join(', ')} or ${last}` : last}.`
  return scope ? `${sentence} A key needs the scope \`${scope}\`.` : sentence
}

const schemesOf = (kinds: readonly CredentialKind[]): Record<string, string[]>[] =>
  kinds.flatMap(kind => SCHEMES[kind]).map(name => ({ [name]: [] }))

/** The schemes that some operation uses. */
export function usedSchemes(operations: readonly Operation[]): Record<string, unknown> {
  const used = new Set(
    operations.flatMap(({ security = [] }) => security.flatMap(requirement => Object.keys(requirement))),
  )
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)))
}
