import { audit } from '#platform/kernel/audit'
import { after, MINUTE } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid, type ApiError } from '#platform/kernel/errors'
import { SCOPES, type RequestContext, type SessionPrincipal } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { requireUsable } from '../credentials/authenticator.ts'
import { IDENTITY } from '../errors.ts'
import { hashOfKey, isWellFormedKey } from '../credentials/key.ts'
import { isMfaEnabled, proveBackupCode, proveTotp } from './second-factor.ts'
import { inHashingSlot } from '../credentials/hashing-queue.ts'
import { passwordFits } from '../credentials/password.ts'
import { passwordHolderById } from '../account/sql.ts'
import { isBoundKey, isKeyOlder, keyHolder } from '../credentials/key-sql.ts'
import { lockProvedAt, provedAt, setProved } from './sql.ts'
import { looksLikeTotp } from './totp.ts'
import { withAttemptLimit } from './attempts.ts'

/** How long a step-up is valid; a sign-in counts as one. */
const VALID_FOR = 5 * MINUTE

/**
 * Guards operations that a stolen session must not allow: 403 unless the owner signed in or stepped up within five minutes
 * (ADR 0009). A key has no session: its scopes limit it. In a transaction the session does not end before it: what ends
 * the sessions first and then the keys and links of an account also ends those that this transaction makes.
 */
export async function requireStepUp(q: Queryable, { principal }: RequestContext, real: Date): Promise<void> {
  if (principal.via === 'session' && !isRecent(await q.maybe(lockProvedAt(principal.sessionId)), real))
    throw apiError(IDENTITY.STEP_UP_REQUIRED, {
      hint: 'Prove your identity with POST /auth/step-up, then repeat the request',
    })
}

/** Keeps the session of the caller open until the commit: for a command that locks other rows before `requireStepUp`. */
export async function lockOwnSession(tx: Tx, { principal }: RequestContext): Promise<void> {
  if (principal.via === 'session') await tx.run(lockProvedAt(principal.sessionId))
}

/** True if the owner of a session signed in or stepped up within five minutes. */
export async function isProvedRecently(
  q: Queryable,
  { principal }: RequestContext,
  real: Date,
): Promise<boolean> {
  return principal.via === 'session' && isRecent(await q.maybe(provedAt(principal.sessionId)), real)
}

const isRecent = (proof: { at: Date | null } | undefined, real: Date): boolean =>
  Boolean(proof?.at && proof.at > after(real, -VALID_FOR))

export interface Proof {
  password?: string
  totpCode?: string
  apiKey?: string
}

/**
 * Re-authenticates the owner of a session: by TOTP or a backup code if there is a second factor, otherwise by password or by an `sk_` key
 * of the whole account with every scope and no spending limit that is older than the session (403 for a newer one). 401
 * otherwise.
 */
export async function stepUp(
  services: Services,
  ctx: RequestContext<SessionPrincipal>,
  proof: Proof,
): Promise<{ validUntil: string }> {
  const { db, clock } = services
  const { accountId, sessionId } = ctx.principal
  if (Object.values(proof).filter(value => value !== undefined).length !== 1)
    throw invalid('send one of password, totpCode, apiKey')
  if (proof.totpCode === undefined && (await isMfaEnabled(db, accountId))) {
    throw apiError(IDENTITY.STEP_UP_REQUIRED, { hint: 'This account has a second factor, send totpCode' })
  }
  await prove(services, ctx, proof)
  const real = clock.real()
  await db.transaction(async tx => {
    await tx.run(setProved(sessionId, real))
    if (proof.totpCode !== undefined && !looksLikeTotp(proof.totpCode))
      await audit(tx, ctx, 'mfa.backup_code_used', { target: ['account', accountId] })
    await audit(tx, ctx, 'session.stepped_up', { target: ['session', sessionId] })
  })
  return { validUntil: after(real, VALID_FOR).toISOString() }
}

async function prove(
  services: Services,
  ctx: RequestContext<SessionPrincipal>,
  { password = '', totpCode, apiKey }: Proof,
): Promise<void> {
  const { accountId } = ctx.principal
  if (totpCode !== undefined)
    return withAttemptLimit(
      services,
      ctx,
      { name: 'mfa', accountId },
      async () =>
        (await (looksLikeTotp(totpCode)
          ? proveTotp(services, accountId, { code: totpCode, purpose: 'step-up' })
          : proveBackupCode(services, accountId, totpCode))) || apiError(IDENTITY.WRONG_SECOND_FACTOR),
    )
  const isRight = () =>
    apiKey === undefined ? isOwnPassword(services, ctx, password) : isOwnKey(services, ctx.principal, apiKey)
  await withAttemptLimit(
    services,
    ctx,
    { name: 'step-up', accountId },
    async () => (await isRight()) || apiError(IDENTITY.INVALID_CREDENTIALS),
  )
}

const isOwnPassword = (
  { db }: Services,
  { ip, principal: { accountId } }: RequestContext,
  password: string,
): Promise<boolean> =>
  inHashingSlot({ ip, account: accountId }, async () =>
    passwordFits(password, (await db.one(passwordHolderById(accountId))).passwordHash),
  )

async function isOwnKey(
  { db, clock }: Services,
  { accountId, sessionId }: SessionPrincipal,
  apiKey: string,
): Promise<true | ApiError> {
  const holder = isWellFormedKey(apiKey) ? await db.maybe(keyHolder(hashOfKey(apiKey))) : undefined
  if (holder?.kind !== 'sk' || holder.accountId !== accountId) return apiError(IDENTITY.INVALID_CREDENTIALS)
  requireUsable(holder, clock.now())
  // A key that somebody else uses within limits, such as an application, does not prove the owner.
  const isLimited = holder.hasSpendingLimit || !SCOPES.every(scope => holder.scopes?.includes(scope))
  if (isBoundKey(holder) || isLimited) return apiError(IDENTITY.INVALID_CREDENTIALS)
  const { older } = await db.one(isKeyOlder(holder.keyId, sessionId))
  return (
    older ||
    apiError(IDENTITY.STEP_UP_REQUIRED, {
      hint: 'The key is newer than the session and does not prove your identity',
    })
  )
}
