import { createHash, createHmac } from 'node:crypto'
import { attribute, audit } from '#platform/kernel/audit'
import { after, DAY, SECOND, type Clock } from '#platform/kernel/clock'
import type { Db, Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError, type ApiError } from '#platform/kernel/errors'
import type { PublicContext, RequestContext, SessionPrincipal } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId, newId, randomToken } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { invalidateCredentialCache } from './authenticator.ts'
import { IDENTITY } from '../errors.ts'
import { accountById } from '../account/sql.ts'
import * as statements from './session-sql.ts'
import { ACCESS_SECONDS, tokensOf } from './token.ts'

export const REFRESH_LIFE = 30 * DAY
/** A session ends after this time, however often it is refreshed (ASVS 5, 7.3.2). */
const SESSION_LIFE = 90 * DAY
/** How many sessions one account has open at a time; a further sign-in ends the oldest. */
export const SESSIONS_MAX = 100
/** A second use within this time counts as a retry of the client, later as the use of a stolen token. */
const REUSE_GRACE = 10 * SECOND
/** A client that lost the response can repeat its request for as long as the access token of that response was valid. */
const REPEAT_GRACE = ACCESS_SECONDS * SECOND

export interface SessionStart {
  accountId: string
  /** How the caller signed in: password, registration, magic_link ... */
  method: string
  /** The key with which the session started; its revocation ends the session. */
  keyId?: string
  /** False if the sign-in does not count as step-up. */
  isProof?: boolean
}

export interface TokenPair {
  accessToken: string
  refreshToken: string
  /** Seconds of the access token. */
  expiresIn: number
}

/** The session of the caller if it belongs to the account, else null. */
export const sessionOf = ({ principal }: PublicContext, accountId: string): string | null =>
  principal.via === 'session' && principal.accountId === accountId ? principal.sessionId : null

/**
 * Starts a session of an account: an access token (15 minutes) and a refresh token (30 days, single use). The account is
 * locked and read again: 403 if it was suspended meanwhile, 401 if it was deleted.
 */
export async function startSession(
  tx: Tx,
  ctx: PublicContext,
  { accountId, method, keyId, isProof = true }: SessionStart,
  services: Services,
): Promise<TokenPair> {
  const id = newId()
  const real = tx.clock.real()
  const { ip, userAgent } = ctx
  const row = { id, accountId, method, keyId: keyId ?? null, ip, userAgent, isProof, real }
  if (!(await tx.run(statements.insertSession(row)))) throw await sessionRefusal(tx, accountId)
  if (await tx.run(statements.endOldestSessions(accountId, SESSIONS_MAX, real)))
    await invalidateCredentialCache(tx)
  const author = attribute(ctx, 'account', accountId)
  await audit(tx, author, 'session.started', { target: ['session', id], details: { method } })
  return issuePair(tx, services, { accountId, sessionId: id })
}

async function issuePair(
  tx: Tx,
  services: Services,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<TokenPair> {
  const refreshToken = randomToken(32)
  const real = tx.clock.real()
  const hash = hashOfToken(refreshToken)
  await tx.run(statements.insertRefreshToken({ hash, sessionId, real, expiresAt: after(real, REFRESH_LIFE) }))
  return { ...(await signAccess(services, accountId, sessionId)), refreshToken }
}

/**
 * Issues another pair of tokens for an open session; null if it has ended. It is not a new sign-in: the time of the last
 * step-up stays, and the end of the session ends both pairs.
 */
export async function renewSession(
  tx: Tx,
  services: Services,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<TokenPair | null> {
  const session = { accountId, sessionId }
  return (await tx.maybe(statements.lockOpenSessionForShare(sessionId, accountId)))
    ? issuePair(tx, services, session)
    : null
}

async function sessionRefusal(tx: Tx, accountId: string): Promise<ApiError> {
  const account = await tx.maybe(accountById(accountId))
  return apiError(account?.status === 'SUSPENDED' ? IDENTITY.ACCOUNT_SUSPENDED : IDENTITY.INVALID_CREDENTIALS)
}

// Tokens of 128 random bits and more: a plain hash cannot be searched.
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

async function signAccess(services: Services, accountId: string, sessionId: string) {
  const claims = { sub: accountId, sid: sessionId }
  const accessToken = (await tokensOf(services)).sign('access', claims, ACCESS_SECONDS)
  return { accessToken, expiresIn: ACCESS_SECONDS }
}

interface RefreshRequest {
  refreshToken: string
  /** The Idempotency-Key of the request, which proves that a repetition comes from the same client. */
  idempotencyKey: string | null
}

/**
 * The token that replaces the one of a request: random, or with an Idempotency-Key the same one each time. It follows from token
 * and key by a secret of the service, so that it can be given again although only its hash is stored.
 */
const successorOf = ({ secrets }: Services, { refreshToken, idempotencyKey }: RefreshRequest): string =>
  idempotencyKey === null
    ? randomToken(32)
    : createHmac('sha256', secrets.derive('identity/refresh-token'))
        .update(JSON.stringify([refreshToken, idempotencyKey]))
        .digest('base64url')

/**
 * Issues a new pair for a refresh token, which works once, until its session is 90 days old or its key has ended. The same
 * request with its Idempotency-Key gets the same refresh token for 15 minutes, until that token is used. Another second
 * use within 10 s is refused. After that the token counts as stolen: it is refused and its session ends although the
 * call fails.
 */
export async function refreshSession(
  services: Services,
  ctx: PublicContext,
  request: RefreshRequest,
): Promise<{ pair: TokenPair; isReplay: boolean }> {
  const { db, clock } = services
  const next = successorOf(services, request)
  const real = clock.real()
  const token = { hash: hashOfToken(request.refreshToken), newHash: hashOfToken(next), real }
  const use = { ...token, now: clock.now(), ip: ctx.ip, userAgent: ctx.userAgent }
  const repetition = { ...token, usedAfter: after(real, -REPEAT_GRACE) }
  const life = { expiresAt: after(real, REFRESH_LIFE), begunAfter: after(real, -SESSION_LIFE) }
  // A transaction is tried again after a deadlock: a deletion of the account locks the session before its tokens.
  const rotated = await db.transaction(tx => tx.maybe(statements.rotateRefreshToken({ ...use, ...life })))
  const session = rotated ?? (await db.maybe(statements.repeatRefresh({ ...use, ...repetition })))
  if (!session) throw await refreshRefusal(db, ctx, repetition)
  const access = await signAccess(services, session.accountId, session.sessionId)
  return { pair: { ...access, refreshToken: next }, isReplay: !rotated }
}

async function refreshRefusal(
  db: Db,
  ctx: PublicContext,
  repetition: statements.Repetition,
): Promise<ApiError> {
  const { real } = repetition
  const state = await db.maybe(statements.refreshTokenState(repetition))
  if (!state || state.endedAt || state.expiresAt <= real)
    return apiError(IDENTITY.INVALID_REFRESH_TOKEN, { hint: 'Sign in again' })
  if (!state.usedAt || state.repeated)
    return state.suspended ? apiError(IDENTITY.ACCOUNT_SUSPENDED) : apiError(IDENTITY.INVALID_REFRESH_TOKEN)
  if (real.getTime() - state.usedAt.getTime() <= REUSE_GRACE)
    return apiError(IDENTITY.REFRESH_TOKEN_USED, {
      hint: 'The token was used a moment ago: use the tokens that it gave',
    })
  await db.transaction(tx => endStolenSession(tx, ctx, state))
  return apiError(IDENTITY.INVALID_REFRESH_TOKEN, { hint: 'The token has already been used' })
}

async function endStolenSession(
  tx: Tx,
  ctx: PublicContext,
  { sessionId, accountId }: statements.RefreshTokenState,
): Promise<void> {
  if (!(await tx.run(statements.endSession(sessionId, 'reuse', tx.clock.real())))) return
  await invalidateCredentialCache(tx)
  const author = attribute(ctx, 'refresh_token', accountId)
  await audit(tx, author, 'session.reuse_detected', { target: ['session', sessionId] })
}

/** Ends the session of a refresh token, used or not; an unknown one is no error. */
export async function logout(tx: Tx, ctx: PublicContext, refreshToken: string): Promise<void> {
  const hash = hashOfToken(refreshToken)
  const ended = await tx.maybe(statements.endSessionOfToken(hash, 'logout', tx.clock.real()))
  if (!ended) return
  await invalidateCredentialCache(tx)
  const author = attribute(ctx, 'refresh_token', ended.accountId)
  await audit(tx, author, 'session.signed_out', { target: ['session', ended.id] })
}

/** Ends all sessions of an account, but for the one named. */
export async function endSessions(
  tx: Tx,
  accountId: string,
  reason: string,
  except: string | null = null,
): Promise<void> {
  await tx.run(statements.endSessionsOf(accountId, reason, tx.clock.real(), except))
  await invalidateCredentialCache(tx)
}

/** Revokes a session of the caller. Errors: 404 if it is unknown or has ended, 403 if it belongs to another account. */
export async function revokeSession(tx: Tx, ctx: RequestContext, id: string): Promise<void> {
  const session = isId(id) ? await tx.maybe(statements.lockOpenSession(id)) : undefined
  if (!session) throw apiError(IDENTITY.SESSION_NOT_FOUND)
  if (session.accountId !== ctx.principal.accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'The session belongs to another account' })
  await tx.run(statements.endSession(id, 'revoked', tx.clock.real()))
  await invalidateCredentialCache(tx)
  await audit(tx, ctx, 'session.revoked', { target: ['session', id] })
}

/** The open sessions of the caller, newest first. */
export async function ownSessions(
  q: Queryable,
  { principal }: RequestContext<SessionPrincipal>,
  page: Page,
  clock: Clock,
) {
  const { accountId, sessionId } = principal
  const real = clock.real()
  const at = {
    begunAfter: after(real, -SESSION_LIFE),
    usedAfter: after(real, -REFRESH_LIFE),
    now: clock.now(),
  }
  const sessions = await q.rows(statements.openSessions(accountId, at, page))
  const { counted } = await q.one(statements.countOpenSessions(accountId, at, TOTAL_CAP + 1))
  const views = sessions.map(({ createdAt, lastUsedAt, ...rest }) => ({
    ...rest,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    current: rest.id === sessionId,
  }))
  return pageAnswer(views, counted, page)
}
