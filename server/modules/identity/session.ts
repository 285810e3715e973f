import { createHash } from 'node:crypto'
import { after, DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { newId, randomToken } from '#platform/id'
import type { Services } from '#platform/services'
import type { Account } from './account.ts'
import * as statements from './sql/sessions.ts'
import { ACCESS_SECONDS, tokensOf } from './token.ts'

export const REFRESH_LIFE = 30 * DAY

/** Where a request came from; kept with sessions and in the audit log until the account is deleted. */
export interface Origin { ip: string; userAgent: string | null; requestId: string }

export interface SessionStart {
  /** How the caller signed in: password, registration, magic_link ... */
  method: string
  origin?: Origin
  /** The key that it was begun with; its revocation ends the session. */
  keyId?: string
}

export interface TokenPair { accessToken: string; refreshToken: string }

type Signing = Pick<Services, 'secrets' | 'db' | 'publicUrl'>

/** Begins a sign-in of `account` in this transaction: an access token (15 minutes) and a refresh token (30 days, single use). */
export async function startSession(tx: Tx, services: Signing, account: Pick<Account, 'id'>, start: SessionStart): Promise<TokenPair> {
  const sessionId = newId()
  const refreshToken = randomToken(32)
  const real = tx.clock.real()
  await tx.run(statements.insertSession({
    id: sessionId, accountId: account.id, method: start.method, keyId: start.keyId ?? null,
    ip: start.origin?.ip ?? null, userAgent: start.origin?.userAgent ?? null, real,
  }))
  await tx.run(statements.insertRefreshToken({ hash: hashOfToken(refreshToken), sessionId, real, expiresAt: after(real, REFRESH_LIFE) }))
  return { accessToken: await signAccess(services, account.id, sessionId), refreshToken }
}

// Tokens of 128 random bits and more: a plain hash cannot be searched.
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

export async function signAccess(services: Signing, accountId: string, sessionId: string): Promise<string> {
  return (await tokensOf(services)).sign('access', { sub: accountId, sid: sessionId }, ACCESS_SECONDS)
}
