import { after, MINUTE } from '#platform/clock'
import { COMMON, fault } from '#platform/fault'
import { isBound, type Actor } from '#platform/http/actor'
import { isId } from '#platform/id'
import type { Services } from '#platform/services'
import type { Tx } from '#platform/db'
import { IDENTITY } from './faults.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'
import { Recent } from './recent.ts'
import { keyHolder, touchKey, type KeyHolder } from './sql/keys.ts'
import { sessionHolder, type SessionHolder } from './sql/sessions.ts'
import { tokensOf } from './token.ts'

/**
 * How long what the database said of a credential may be used: logout, suspension and revocation act within it on
 * every instance.
 */
const TTL_MS = 900
const REMEMBERED = 20_000

// Counts the changes that this process made to what credentials prove; see forgetCredentials.
let changes = 0

/**
 * After the commit this process asks the database again about every credential; the other instances do within a
 * second.
 */
export const forgetCredentials = (tx: Tx): void =>
  tx.afterCommit(() => {
    changes++
  })

/**
 * Proves credentials: access tokens against their session, keys against their hash. Fault 401, or 403 when
 * suspended.
 */
export function createAuthenticator(
  services: Services,
): (credential: { kind: Actor['kind']; text: string }) => Promise<Actor> {
  const { db } = services
  const sessions = new Recent<SessionHolder | undefined>(TTL_MS, REMEMBERED)
  const keys = new Recent<KeyHolder | undefined>(TTL_MS, REMEMBERED)
  let seen = changes
  const byToken = async (text: string): Promise<Actor> => {
    const { sub, sid } = (await tokensOf(services)).verify('access', text)
    const sessionId = String(sid)
    const holder = isId(sessionId) ? await sessions.get(sessionId, () => db.maybe(sessionHolder(sessionId))) : undefined
    if (!holder || holder.endedAt || holder.accountId !== sub || holder.accountStatus === 'DELETED')
      throw fault(COMMON.UNAUTHORIZED, { hint: 'The session has ended, sign in again' })
    assertNotSuspended(holder)
    return {
      kind: 'jwt',
      accountId: holder.accountId,
      userType: holder.userType,
      role: holder.role,
      scopes: null,
      agentId: null,
      organizationId: null,
      keyId: null,
      sessionId,
    }
  }
  const byKey = async (kind: KeyHolder['kind'], text: string): Promise<Actor> => {
    if (!isWellFormedKey(text)) throw fault(IDENTITY.INVALID_API_KEY)
    const hash = hashOfKey(text)
    const holder = await keys.get(hash.toString('base64url'), () => db.maybe(keyHolder(hash)))
    assertUsable(holder, services.clock.now())
    markUsed(services, holder)
    const { accountId, userType, scopes, agentId, organizationId, keyId } = holder
    // What an admin's bound key may do is what it is bound to, nothing else.
    const role = isBound(holder) ? 'USER' : holder.role
    return { kind, accountId, userType, role, scopes, agentId, organizationId, keyId, sessionId: null }
  }
  return ({ kind, text }) => {
    if (seen !== changes) {
      seen = changes
      sessions.clear()
      keys.clear()
    }
    return kind === 'jwt' ? byToken(text) : byKey(kind, text)
  }
}

/** Refuses a key that is unknown, revoked, expired or past its grace. `now` is business time. */
export function assertUsable(holder: KeyHolder | undefined, now: Date): asserts holder is KeyHolder {
  if (!holder || holder.keyStatus === 'REVOKED' || holder.accountStatus === 'DELETED')
    throw fault(IDENTITY.INVALID_API_KEY)
  if (holder.expiresAt && holder.expiresAt <= now)
    throw fault(IDENTITY.INVALID_API_KEY, { hint: 'The key has expired' })
  if (holder.graceUntil && holder.graceUntil <= now) throw fault(IDENTITY.KEY_REPLACED)
  assertNotSuspended(holder)
  if (holder.agentSuspended) throw fault(IDENTITY.ACCOUNT_SUSPENDED, { accountId: holder.accountId })
}

function assertNotSuspended({ accountId, accountStatus }: Pick<KeyHolder, 'accountId' | 'accountStatus'>): void {
  if (accountStatus === 'SUSPENDED')
    throw fault(IDENTITY.ACCOUNT_SUSPENDED, { hint: 'This account has been suspended by an administrator', accountId })
}

// At most once a minute; the request does not wait for it.
function markUsed({ db, clock, log }: Services, holder: KeyHolder): void {
  const real = clock.real()
  const staleBefore = after(real, -MINUTE)
  if (holder.lastUsedAt && holder.lastUsedAt > staleBefore) return
  // The remembered row, so that the next request does not write again.
  holder.lastUsedAt = real
  db.run(touchKey(holder.keyId, real, staleBefore)).catch((error: unknown) =>
    log.warn({ err: error }, 'last use of a key not noted'),
  )
}
