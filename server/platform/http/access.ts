import type {
  AccountKeyPrincipal,
  AgentKeyPrincipal,
  Anonymous,
  CredentialKind,
  RoutingKeyPrincipal,
  Scope,
  SessionPrincipal,
} from './principal.ts'

/** The credentials, scope and role that an operation requires. */
export interface CredentialPolicy {
  /** In the order in which the reference names them. An operation that accepts `sk` must name a scope. */
  accept: readonly [CredentialKind, ...CredentialKind[]]
  /** What a key needs; an access token needs none. */
  scope?: Scope
  role?: 'ADMIN'
  /** Requires an account of the type HUMAN. */
  human?: boolean
  /** Replaces or ends the key that it is called with, which does not show that the agent of the key runs. */
  managesKeys?: true
}

/** A public operation that shows more to the holder of one of these credentials; any other one is ignored. */
export interface OptionalPolicy {
  optional: readonly CredentialKind[]
}

/** Checked by the operation itself: the signature of the payment processor, or the secret of the web front end. */
export interface ProofPolicy {
  proof: 'signature' | 'secret'
}

/** Who may call an operation. Every operation has one: a route without it stops the start. */
export type AccessPolicy = 'public' | OptionalPolicy | ProofPolicy | CredentialPolicy

interface PrincipalByKind {
  jwt: SessionPrincipal
  sk: AccountKeyPrincipal
  sa: AgentKeyPrincipal
  rk: RoutingKeyPrincipal
}

/** The principals that can pass a policy. */
export type PrincipalOf<A> = A extends { accept: readonly (infer Kind extends CredentialKind)[] }
  ? PrincipalByKind[Kind]
  : A extends { optional: readonly (infer Kind extends CredentialKind)[] }
    ? PrincipalByKind[Kind] | Anonymous
    : Anonymous

/** The credentials of which one is required; none on public operations and where a proof takes their place. */
export const requiredKinds = (access: AccessPolicy): readonly CredentialKind[] =>
  typeof access === 'object' && 'accept' in access ? access.accept : []

export const optionalKinds = (access: AccessPolicy): readonly CredentialKind[] =>
  typeof access === 'object' && 'optional' in access ? access.optional : []

export const proofOf = (access: AccessPolicy): ProofPolicy['proof'] | null =>
  typeof access === 'object' && 'proof' in access ? access.proof : null

/** What the policy asks of an accepted principal. */
export const requirementsOf = (access: AccessPolicy): Omit<CredentialPolicy, 'accept'> =>
  typeof access === 'object' && 'accept' in access ? access : {}

/** True if anybody may call the operation. */
export const isPublic = (access: AccessPolicy): boolean =>
  !requiredKinds(access).length && proofOf(access) === null

/** Why the policy is incomplete, or null. */
export function policyError(access: AccessPolicy | undefined): string | null {
  if (access === undefined) return 'declares no access policy'
  if (requiredKinds(access).includes('sk') && requirementsOf(access).scope === undefined)
    return 'accepts sk_ keys and names no scope'
  return null
}
