import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { audit } from '#platform/audit'
import { after, DAY, SECOND } from '#platform/clock'
import type { Db, Queryable, Tx } from '#platform/db'
import { COMMON, fault, type Fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId, newId, randomToken } from '#platform/id'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import { forgetCredentials } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { accountById } from './sql/accounts.ts'
import * as statements from './sql/sessions.ts'
import { ACCESS_SECONDS, tokensOf } from './token.ts'

export const REFRESH_LIFE = 30 * DAY
/** A sign-in holds so long at most, however often it is refreshed (ASVS 5, 7.3.2). */
const SESSION_LIFE = 90 * DAY
/** How many sessions one account has open at a time; a further sign-in ends the oldest. */
export const SESSIONS_MAX = 100
/** Within it a second use is taken for a client's retry; later for a stolen token. */
const REUSE_GRACE = 10 * SECOND

/** Where a request came from; kept with sessions and in the audit log until the account is deleted. */
export interface Origin {
  ip: string
  userAgent: string | null
  requestId: string
}

export const originOf = (request: FastifyRequest): Origin => ({
  ip: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
  requestId: request.id,
})

export interface SessionStart {
  /** How the caller signed in: password, registration, magic_link ... */
  method: string
  origin?: Origin
  /** The key that it was begun with; its revocation ends the session. */
  keyId?: string
  /** False where the sign-in does not count as step-up. */
  isProof?: boolean
}

export interface TokenPair {
  accessToken: string
  refreshToken: string
}

type Signing = Pick<Services, 'secrets' | 'db' | 'publicUrl'>

/**
 * Begins a sign-in of `account` in this transaction: an access token (15 minutes) and a refresh token (30 days,
 * single use). Whatever the caller read before, the account is looked at now, and stays so until the commit: 403 when it
 * was suspended meanwhile, 401 when it was deleted.
 */
export async function startSession(
  tx: Tx,
  services: Signing,
  account: Pick<Account, 'id'>,
  start: SessionStart,
): Promise<TokenPair> {
  const sessionId = newId()
  const real = tx.clock.real()
  const begun = await tx.run(
    statements.insertSession({
      id: sessionId,
      accountId: account.id,
      method: start.method,
      keyId: start.keyId ?? null,
      ip: start.origin?.ip ?? null,
      userAgent: start.origin?.userAgent ?? null,
      isProof: start.isProof ?? true,
      real,
    }),
  )
  if (!begun) throw await shutOut(tx, account.id)
  if (await tx.run(statements.endOldestSessions(account.id, SESSIONS_MAX, real))) forgetCredentials(tx)
  await audit(tx, {
    action: 'session.started',
    actorId: account.id,
    actorKind: 'account',
    target: 'session',
    targetId: sessionId,
    ip: start.origin?.ip,
    requestId: start.origin?.requestId,
    details: { method: start.method },
  })
  return issuePair(tx, services, { accountId: account.id, sessionId })
}

async function issuePair(
  tx: Tx,
  services: Signing,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<TokenPair> {
  const refreshToken = randomToken(32)
  const real = tx.clock.real()
  const hash = hashOfToken(refreshToken)
  await tx.run(statements.insertRefreshToken({ hash, sessionId, real, expiresAt: after(real, REFRESH_LIFE) }))
  return { accessToken: await signAccess(services, accountId, sessionId), refreshToken }
}

/**
 * Another pair of tokens for an open session, null for one that has ended. It is no new sign-in: when its owner was last
 * proved stays as it was, and whatever ends the session ends both pairs.
 */
export async function renewSession(
  tx: Tx,
  services: Signing,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<TokenPair | null> {
  const session = { accountId, sessionId }
  return (await tx.maybe(statements.holdOpenSession(sessionId, accountId))) ? issuePair(tx, services, session) : null
}

async function shutOut(tx: Tx, accountId: string): Promise<Fault> {
  const account = await tx.maybe(accountById(accountId))
  return fault(account?.status === 'SUSPENDED' ? IDENTITY.ACCOUNT_SUSPENDED : IDENTITY.INVALID_CREDENTIALS)
}

// Tokens of 128 random bits and more: a plain hash cannot be searched.
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

async function signAccess(services: Signing, accountId: string, sessionId: string): Promise<string> {
  return (await tokensOf(services)).sign('access', { sub: accountId, sid: sessionId }, ACCESS_SECONDS)
}

/**
 * A new pair for a refresh token, which works once, until its session is 90 days old. Used again within 10 s it is
 * refused; later it was stolen: refused, and the whole family of its session ends although the call fails.
 */
export async function refreshSession(services: Services, refreshToken: string, origin: Origin): Promise<TokenPair> {
  const { db, clock } = services
  const hash = hashOfToken(refreshToken)
  const next = randomToken(32)
  const real = clock.real()
  const rotated = await db.maybe(
    statements.rotateRefreshToken({
      hash,
      newHash: hashOfToken(next),
      real,
      expiresAt: after(real, REFRESH_LIFE),
      begunAfter: after(real, -SESSION_LIFE),
      ip: origin.ip,
      userAgent: origin.userAgent,
    }),
  )
  if (rotated)
    return { accessToken: await signAccess(services, rotated.accountId, rotated.sessionId), refreshToken: next }
  throw await refusal(db, hash, real, origin)
}

async function refusal(db: Db, hash: Buffer, real: Date, origin: Origin) {
  const state = await db.maybe(statements.refreshTokenState(hash))
  if (!state || state.endedAt || state.expiresAt <= real)
    return fault(IDENTITY.INVALID_REFRESH_TOKEN, { hint: 'Sign in again' })
  if (!state.usedAt) return state.suspended ? fault(IDENTITY.ACCOUNT_SUSPENDED) : fault(IDENTITY.INVALID_REFRESH_TOKEN)
  if (real.getTime() - state.usedAt.getTime() > REUSE_GRACE)
    await db.transaction(tx => endStolenSession(tx, state, origin))
  return fault(IDENTITY.INVALID_REFRESH_TOKEN, { hint: 'The token has already been used' })
}

async function endStolenSession(
  tx: Tx,
  { sessionId, accountId }: statements.RefreshTokenState,
  origin: Origin,
): Promise<void> {
  if (!(await tx.run(statements.endSession(sessionId, 'reuse', tx.clock.real())))) return
  forgetCredentials(tx)
  await audit(tx, {
    action: 'session.reuse_detected',
    actorId: accountId,
    actorKind: 'refresh_token',
    target: 'session',
    targetId: sessionId,
    ip: origin.ip,
    requestId: origin.requestId,
  })
}

/** Ends the session of a refresh token, used or not; an unknown one is no error. */
export async function logout(tx: Tx, refreshToken: string): Promise<void> {
  const ended = await tx.run(statements.endSessionOfToken(hashOfToken(refreshToken), 'logout', tx.clock.real()))
  if (ended) forgetCredentials(tx)
}

/** Ends all sessions of an account, but for the one named. */
export async function endSessions(
  tx: Tx,
  accountId: string,
  reason: string,
  except: string | null = null,
): Promise<void> {
  await tx.run(statements.endSessionsOf(accountId, reason, tx.clock.real(), except))
  forgetCredentials(tx)
}

/** Ends one of the caller's own sessions; 404 for one that is none or has ended, 403 for another's. */
export async function revokeSession(tx: Tx, actor: Actor, id: string, { ip, requestId }: Origin): Promise<void> {
  const session = isId(id) ? await tx.maybe(statements.lockOpenSession(id)) : undefined
  if (!session) throw fault(IDENTITY.SESSION_NOT_FOUND)
  if (session.accountId !== actor.accountId) throw fault(COMMON.FORBIDDEN, { hint: 'The session belongs to another account' })
  await tx.run(statements.endSession(id, 'revoked', tx.clock.real()))
  forgetCredentials(tx)
  const by = { actorId: actor.accountId, actorKind: actor.kind, ip, requestId }
  await audit(tx, { action: 'session.revoked', ...by, target: 'session', targetId: id })
}

/** The caller's open sessions, newest first. */
export async function ownSessions(
  q: Queryable,
  actor: Actor,
  page: Page,
  real: Date,
): Promise<{ sessions: statements.SessionRow[]; counted: number }> {
  const since = after(real, -REFRESH_LIFE)
  const sessions = await q.rows(statements.openSessions(actor.accountId, since, page))
  return { sessions, ...(await q.one(statements.countOpenSessions(actor.accountId, since, TOTAL_CAP + 1))) }
}
