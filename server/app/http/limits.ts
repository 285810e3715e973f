import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import { ApiError } from '#platform/kernel/errors'
import { GeneralLimits } from '#platform/http/limits/general-limits'
import { proofOf, requiredKinds } from '#platform/http/access'
import { hook } from '#platform/http/hook'
import type { App, RouteLimit } from '#platform/http/operation'
import { limited, limitHeaders, networkOf, type Taken } from '#platform/http/limits/limits'
import type { Services } from '#platform/kernel/services'
import { credentialsOf } from './auth.ts'

const WINDOW_SECONDS = MINUTE / SECOND
/** General limits of production mode, in requests per minute. Sandbox mode has none unless they are set. */
const PRODUCTION = { ip: 600, user: 3000, failed: 60, signIn: 60 }

interface Store {
  take(key: string, max: number, windowSeconds: number): Promise<Taken>
}

/**
 * The limits of requests. `installBefore` goes before the check of credentials, `installAfter` behind it: an address is
 * counted before anything is looked up for it, an account when it is known.
 */
export class RequestLimits {
  readonly #limits: Store
  readonly #general: GeneralLimits
  readonly #max: { [Name in keyof typeof PRODUCTION]?: number }
  readonly #accepted = new AcceptedCredentials()

  constructor({ limits, config, clock, log }: Services) {
    this.#limits = limits
    this.#general = new GeneralLimits(clock, log, config.REDIS_URL)
    const fallback: Partial<typeof PRODUCTION> = config.sandbox ? {} : PRODUCTION
    this.#max = {
      ip: config.RATE_LIMIT_IP_PER_MIN ?? fallback.ip,
      user: config.RATE_LIMIT_USER_PER_MIN ?? fallback.user,
      failed: config.RATE_LIMIT_FAILED_PER_MIN ?? fallback.failed,
      signIn: config.RATE_LIMIT_SIGN_IN_PER_MIN ?? fallback.signIn,
    }
  }

  installBefore(app: App): void {
    app.addHook('onClose', () => this.#general.close())
    if (this.#max.failed)
      app.addHook('onRequest', (request, reply) => this.#refuseAfterFailures(request, reply))
    app.addHook(
      'onRequest',
      hook((request, reply) => this.#countAddress(request, reply)),
    )
    app.addHook('onError', async (request, _reply, error) => {
      const { failed } = this.#max
      const status = error instanceof ApiError ? error.row.status : (error.statusCode ?? 500)
      if (failed && isFailure(request, status))
        await this.#general.take(`failed:${networkOf(request.ip)}`, failed, WINDOW_SECONDS)
    })
  }

  installAfter(app: App): void {
    app.addHook(
      'onRequest',
      hook((request, reply) => {
        const { limit, skipGeneralLimits } = request.routeOptions.config
        const { principal } = request
        if (principal.via === 'anonymous' || !requiresCredential(request)) return
        if (this.#max.failed) this.#accepted.add(request)
        if (limit) return count(reply, this.#limits, { ...limit, key: subjectOf(request, limit) })
        const max = this.#max.user
        if (max && !skipGeneralLimits)
          return this.#countGeneral(reply, { name: 'user', key: principal.accountId, max })
      }),
    )
  }

  // A credential that was accepted from this address a short while ago stays usable, so that one client behind a shared
  // address cannot lock the others out.
  async #refuseAfterFailures(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const max = this.#max.failed
    if (!max || !checksCredential(request) || this.#accepted.has(request)) return
    const taken = await this.#general.take(`failed:${networkOf(request.ip)}`, max, WINDOW_SECONDS, 0)
    if (taken.remaining > 0) return
    void reply.headers(limitHeaders('failed-credentials', taken, WINDOW_SECONDS))
    throw limited(taken)
  }

  #countAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> | void {
    const { limit, skipGeneralLimits, signIn, access = 'public' } = request.routeOptions.config
    const { ip, signIn: signIns } = this.#max
    if (skipGeneralLimits || proofOf(access) === 'signature') return
    if (limit && !requiresCredential(request))
      return count(reply, this.#limits, { ...limit, key: subjectOf(request, limit) })
    const countFor = (name: string, max: number) =>
      this.#countGeneral(reply, { name, key: networkOf(request.ip), max })
    if (signIn && signIns) return countFor('sign-in', signIns)
    if (ip && (!requiresCredential(request) || !credentialsOf(request).length)) return countFor('ip', ip)
  }

  #countGeneral(reply: FastifyReply, limit: { name: string; key: string; max: number }): Promise<void> {
    return count(reply, this.#general, { ...limit, windowSeconds: WINDOW_SECONDS })
  }
}

async function count(
  reply: FastifyReply,
  store: Store,
  limit: { name: string; key: string; max: number; windowSeconds: number },
): Promise<void> {
  const taken = await store.take(`${limit.name}:${limit.key}`, limit.max, limit.windowSeconds)
  void reply.headers(limitHeaders(limit.name, taken, limit.windowSeconds))
  if (!taken.allowed) throw limited(taken)
}

function subjectOf(request: FastifyRequest, limit: RouteLimit): string {
  switch (limit.per) {
    case 'ip':
      return networkOf(request.ip)
    case 'account':
      return request.principal.via === 'anonymous' ? networkOf(request.ip) : request.principal.accountId
    case 'path-id':
      return String((request.params as { id?: string }).id)
  }
}

/** False where no credential in a header is required: such a request counts for its address, whatever it presents. */
const requiresCredential = ({ routeOptions: { config } }: FastifyRequest): boolean =>
  requiredKinds(config.access ?? 'public').length > 0

/** True if the request makes the service check a secret: a credential, a signature, a password or token in the body. */
function checksCredential(request: FastifyRequest): boolean {
  const { access = 'public', errors, skipGeneralLimits } = request.routeOptions.config
  if (proofOf(access)) return true
  if (requiresCredential(request)) return credentialsOf(request).length > 0
  return !skipGeneralLimits && errors?.includes(401) === true
}

/** True if the error says that the secret was refused. */
function isFailure(request: FastifyRequest, status: number): boolean {
  if (!checksCredential(request) || status >= 500 || status === 429) return false
  // An invalid notification may come from any client.
  return (
    status === 401 ||
    proofOf(request.routeOptions.config.access ?? 'public') === 'signature' ||
    (requiresCredential(request) && request.principal.via === 'anonymous')
  )
}

/** Credentials that this process accepted lately, by address, as hashes. */
class AcceptedCredentials {
  static readonly #LIFE_MS = 15 * MINUTE
  static readonly #MOST = 20_000
  readonly #until = new Map<string, number>()

  add(request: FastifyRequest): void {
    const key = keyOf(request)
    if (!key) return
    this.#until.delete(key)
    this.#until.set(key, performance.now() + AcceptedCredentials.#LIFE_MS)
    const [oldest] = this.#until.keys()
    if (this.#until.size > AcceptedCredentials.#MOST && oldest) this.#until.delete(oldest)
  }

  has(request: FastifyRequest): boolean {
    const key = keyOf(request)
    return key !== undefined && (this.#until.get(key) ?? 0) > performance.now()
  }
}

function keyOf(request: FastifyRequest): string | undefined {
  const texts = credentialsOf(request).map(({ text }) => text)
  return texts.length
    ? createHash('sha256')
        .update([networkOf(request.ip), ...texts].join(' '))
        .digest('base64')
    : undefined
}
