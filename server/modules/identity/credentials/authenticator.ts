import { after, MINUTE } from '#platform/kernel/clock'
import { COMMON, apiError, type ApiError } from '#platform/kernel/errors'
import type { CredentialKind, Principal } from '#platform/http/principal'
import { isId } from '#platform/kernel/id'
import { publish } from '#platform/kernel/events'
import { memoizePerService, type Services } from '#platform/kernel/services'
import type { Tx } from '#platform/kernel/db'
import { IDENTITY } from '../errors.ts'
import { agentKeyUsed, credentialsChanged } from '../events.ts'
import { routingKeyProof } from '../ports.ts'
import { hashOfKey, isWellFormedKey, KEY_GRACE } from './key.ts'
import { TtlCache } from '#platform/kernel/collections/ttl-cache'
import { keyHolder, touchKey, type KeyHolder } from './key-sql.ts'
import { sessionHolder, type SessionHolder } from './session-sql.ts'
import { tokensOf } from './token.ts'

/**
 * How long a verified credential is cached: logout, suspension and revocation take effect within it on
 * every instance.
 */
const TTL_MS = 900
const REMEMBERED = 20_000

const cachesOf = memoizePerService(() => ({
  sessions: new TtlCache<SessionHolder | undefined>(TTL_MS, REMEMBERED),
  keys: new TtlCache<KeyHolder | undefined>(TTL_MS, REMEMBERED),
}))

/** After the commit this instance asks the database again about every credential; the others do within a second. */
export const invalidateCredentialCache = (tx: Tx): Promise<void> => publish(tx, credentialsChanged, undefined)

/** Subscriber of `credentials.changed`. */
export async function clearCachesOfChangedCredentials(
  tx: Tx,
  services: Pick<Services, 'memo'>,
): Promise<void> {
  const { sessions, keys } = cachesOf(services)
  tx.afterCommit(() => {
    sessions.clear()
    keys.clear()
  })
}

interface Options {
  /** The agent of a key does not count as seen. */
  isUnseen?: boolean
}

/**
 * Proves credentials: access tokens against their session, keys against their hash. ApiError 401, or 403 when
 * suspended.
 */
export function createAuthenticator(
  services: Services,
): (credential: { kind: CredentialKind; text: string }, options?: Options) => Promise<Principal> {
  const { db } = services
  const { sessions, keys } = cachesOf(services)
  const byToken = async (text: string): Promise<Principal> => {
    const { sub, sid } = (await tokensOf(services)).verify('access', text)
    const sessionId = String(sid)
    const holder = isId(sessionId)
      ? await sessions.get(sessionId, () => db.maybe(sessionHolder(sessionId)))
      : undefined
    if (!holder || holder.endedAt || holder.accountId !== sub || holder.accountStatus === 'DELETED')
      throw apiError(COMMON.UNAUTHORIZED, { hint: 'The session has ended, sign in again' })
    if (holder.keyEndsAt && holder.keyEndsAt <= services.clock.now())
      throw apiError(COMMON.UNAUTHORIZED, { hint: 'The key of this session has ended, sign in again' })
    requireNotSuspended(holder)
    const { accountId, userType, role } = holder
    return { via: 'session', accountId, userType, role, sessionId }
  }
  const byKey = async (text: string, options: Options): Promise<Principal> => {
    if (!isWellFormedKey(text)) throw malformedKey()
    const hash = hashOfKey(text)
    const holder = await keys.get(hash.toString('base64url'), () => db.maybe(keyHolder(hash)))
    requireUsable(holder, services.clock.now())
    markUsed(services, holder, options)
    return principalOfKey(holder)
  }
  return ({ kind, text }, options = {}) => {
    if (kind === 'jwt') return byToken(text)
    return kind === 'rk' ? routingKeyProof.call(db, text) : byKey(text, options)
  }
}

function principalOfKey({ kind, agentId, organizationId, ...holder }: KeyHolder): Principal {
  const { accountId, userType, keyId, serviceAccountId, hasSpendingLimit } = holder
  const scopes = holder.scopes ?? []
  if (kind === 'sa' && agentId) return { via: 'agent-key', accountId, keyId, scopes, agentId }
  const bound = agentId ? { agentId } : organizationId ? { organizationId } : null
  // A bound key of an admin has no rights of an admin.
  const role = bound ? 'USER' : holder.role
  return {
    via: 'account-key',
    accountId,
    userType,
    role,
    keyId,
    serviceAccountId,
    hasSpendingLimit,
    scopes,
    bound,
  }
}

/** Refuses a key that is unknown, revoked, expired or past its grace. `now` is business time. */
export function requireUsable(holder: KeyHolder | undefined, now: Date): asserts holder is KeyHolder {
  if (!holder || holder.keyStatus === 'REVOKED' || holder.accountStatus === 'DELETED')
    throw apiError(IDENTITY.INVALID_API_KEY)
  if (holder.expiresAt && holder.expiresAt <= now)
    throw apiError(IDENTITY.INVALID_API_KEY, { hint: 'The key has expired' })
  if (holder.graceUntil && holder.graceUntil <= now) throw keyEnded(holder, holder.graceUntil)
  requireNotSuspended(holder)
  if (holder.agentSuspended) throw apiError(IDENTITY.ACCOUNT_SUSPENDED, { accountId: holder.accountId })
}

// A key that ended earlier than a rotated one can was made for that time: it is an access token of OAuth.
const keyEnded = ({ createdAt }: KeyHolder, end: Date): ApiError =>
  end < after(createdAt, KEY_GRACE)
    ? apiError(IDENTITY.INVALID_API_KEY, { hint: 'The access token has expired, refresh it' })
    : apiError(IDENTITY.KEY_REPLACED)

/** 401 for a text that no key can be: keys end with a checksum. */
export const malformedKey = (): ApiError =>
  apiError(IDENTITY.INVALID_API_KEY, { hint: 'The key is incomplete or mistyped' })

function requireNotSuspended({
  accountId,
  accountStatus,
}: Pick<KeyHolder, 'accountId' | 'accountStatus'>): void {
  if (accountStatus === 'SUSPENDED')
    throw apiError(IDENTITY.ACCOUNT_SUSPENDED, {
      hint: 'This account has been suspended by an administrator',
      accountId,
    })
}

// At most once a minute; the request does not wait for it.
function markUsed({ db, clock, log }: Services, holder: KeyHolder, { isUnseen = false }: Options): void {
  const real = clock.real()
  const staleBefore = after(real, -MINUTE)
  if (holder.lastUsedAt && holder.lastUsedAt > staleBefore) return
  // The remembered row, so that the next request does not write again.
  holder.lastUsedAt = real
  noteUse(db, holder, { real, staleBefore, isUnseen }).catch((error: unknown) =>
    log.warn({ err: error }, 'last use of a key not noted'),
  )
}

// In two transactions: a revocation locks the agent before its keys.
async function noteUse(
  db: Services['db'],
  { keyId, agentId }: KeyHolder,
  { real, staleBefore, isUnseen }: { real: Date; staleBefore: Date; isUnseen: boolean },
): Promise<void> {
  const isNews = (await db.run(touchKey(keyId, real, staleBefore))) > 0
  if (isNews && agentId && !isUnseen) await db.transaction(tx => publish(tx, agentKeyUsed, { agentId, real }))
}
