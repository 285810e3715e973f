import type { Random } from '#test'
import { LETHAL, type Focus } from '../generate/compose.ts'
import type { Operation } from '../document/document.ts'
import type { Pool } from './pool.ts'
import type { Credential } from '../replies/request.ts'
import { accessToken, INTERNAL, keyCredentials, NONE, SCHEME_OF, SIGNATURE, type Tenant } from './tenants.ts'

export const ADMINS = 3

/** Chooses the caller of a request, and the credential. */
export class Access {
  readonly #random: Random
  readonly #pool: Pool
  readonly #tenants: readonly Tenant[]
  readonly refused: readonly Credential[]

  constructor(random: Random, pool: Pool, tenants: readonly Tenant[], refused: readonly Credential[]) {
    this.#random = random
    this.#pool = pool
    this.#tenants = tenants
    this.refused = refused
  }

  pick(operation: Operation, focus: Focus): { tenant: number; credential: Credential } {
    const random = this.#random
    const tenant = operation.isForAdmins ? ADMINS : this.#tenantFor(focus)
    if (random.chance(0.04)) return { tenant, credential: random.pick([NONE, ...this.refused]) }
    if (random.chance(0.1)) {
      const other = random.below(ADMINS)
      return { tenant: other, credential: random.pick(this.#tenants[other]?.credentials ?? [NONE]) }
    }
    return { tenant, credential: this.fitting(operation, tenant) }
  }

  /** One of those that know what the request is about. */
  #tenantFor(focus: Focus): number {
    const random = this.#random
    const [about] = focus
    const knowing = about ? [0, 1, 2].filter(each => this.#pool.knows(each, ...about)) : []
    return knowing.length && random.chance(0.85)
      ? random.pick(knowing)
      : random.pick([0, 0, 0, 1, 1, 1, 2, 2])
  }

  /** A credential of the tenant that the operation accepts. */
  fitting({ name, accepts, isPublic, isForAdmins }: Operation, tenant: number): Credential {
    const random = this.#random
    if (accepts.includes('processorSignature')) return SIGNATURE
    if (accepts.includes('internalSecret')) return INTERNAL
    const learned = this.#learned(tenant)
    if (LETHAL.test(name)) return learned.find(({ kind }) => kind === 'access token') ?? NONE
    const own = this.#tenants[tenant]?.credentials ?? []
    const all = isForAdmins || random.chance(0.9) ? own : learned
    const fitting = all.filter(({ kind }) =>
      SCHEME_OF.some(([pattern, scheme]) => pattern.test(kind) && accepts.includes(scheme)),
    )
    if (!fitting.length || (isPublic && random.chance(0.4))) return NONE
    // An access token as often as all keys together, and keys of little use seldom.
    const tokens = fitting.filter(({ kind }) => kind === 'access token')
    if (tokens.length && random.chance(0.6)) return random.pick(tokens)
    const useful = fitting.filter(({ kind }) => !/^(?:read-only|agent-bound|organization-bound)/.test(kind))
    return random.pick(useful.length && random.chance(0.7) ? useful : fitting)
  }

  /** Credentials that replies showed. */
  #learned(tenant: number): Credential[] {
    const token = this.#pool.pick(this.#random, tenant, 'accessToken')
    const key = this.#pool.pick(this.#random, tenant, 'apiKey')
    return [
      ...(typeof token === 'string' ? [accessToken(token)] : []),
      ...(typeof key === 'string' && /^s[ka]_|^rk_/.test(key) ? keyCredentials(key) : []),
    ]
  }
}
