import { createHmac } from 'node:crypto'
import { Type } from 'typebox'
import { named } from '#platform/http/schema'
import { audit } from '#platform/audit'
import { MINUTE, SECOND } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Services } from '#platform/services'
import { accountById, type Account } from './account.ts'
import { IDENTITY } from './faults.ts'
import { SessionAnswer, userRecord } from './schema.ts'
import { isMfaEnabled, proveBackupCode, proveTotp } from './second-factor.ts'
import { startSession, type Origin, type SessionStart, type TokenPair } from './session.ts'
import { lockPasswordHolder, passwordHolderById } from './sql/accounts.ts'
import { ACCESS_SECONDS, tokensOf } from './token.ts'
import { withinTries } from './tries.ts'

const MFA_TOKEN_SECONDS = (5 * MINUTE) / SECOND
const TRIES_PER_TOKEN = 5

export type SignedIn = { account: Account } & TokenPair
export interface MfaAsked {
  mfaRequired: true
  mfaToken: string
}

export const MfaAnswer = named('MfaRequired', Type.Object({
  mfaRequired: Type.Literal(true),
  mfaToken: Type.String({ description: 'For POST /auth/login/mfa; 5 minutes, 5 tries' }),
}))
/** What every way of signing in answers with. */
export const SignInAnswer = named('SignInResult', Type.Union([SessionAnswer, MfaAnswer]))

/** The answer of a sign-in, as `SignInAnswer` shows it. */
export const signInAnswer = (result: SignedIn | MfaAsked) =>
  'mfaToken' in result
    ? result
    : {
        user: userRecord(result.account),
        accessToken: result.accessToken,
        refreshToken: result.refreshToken,
        expiresIn: ACCESS_SECONDS,
      }

/**
 * Signs in who proved one factor, by whatever means: a session, or the question for the second factor. 403 for a
 * suspended account.
 */
export async function signIn(
  tx: Tx,
  services: Services,
  account: Account,
  start: SessionStart,
): Promise<SignedIn | MfaAsked> {
  assertActive(account)
  if (!(await isMfaEnabled(tx, account.id))) return { account, ...(await startSession(tx, services, account, start)) }
  const claims = { sub: account.id, pwd: await passwordMark(tx, services, account.id) }
  return { mfaRequired: true, mfaToken: (await tokensOf(services)).sign('mfa', claims, MFA_TOKEN_SECONDS) }
}

function assertActive({ status }: Account): void {
  if (status === 'SUSPENDED')
    throw fault(IDENTITY.ACCOUNT_SUSPENDED, { hint: 'This account has been suspended by an administrator' })
}

// A new password ends the questions that were asked under the old one.
async function passwordMark(
  q: Parameters<typeof accountById>[0],
  { secrets }: Services,
  accountId: string,
  holderOf = passwordHolderById,
): Promise<string> {
  const { passwordHash } = await q.one(holderOf(accountId))
  return createHmac('sha256', secrets.derive('identity/mfa-token'))
    .update(passwordHash ?? '')
    .digest('base64url')
}

export interface SecondFactor {
  mfaToken: string
  totpCode: string
  useBackupCode?: boolean
  origin: Origin
}

/**
 * The second step of a sign-in. 401 for a bad token, a wrong code, or after 5 tries with one token; 429 after 10 of the
 * account.
 */
export async function signInWithSecondFactor(services: Services, input: SecondFactor): Promise<SignedIn> {
  const { db, limits } = services
  const { accountId, jti, pwd } = await readMfaToken(services, input.mfaToken)
  const account = await accountById(db, accountId)
  if (account?.status !== 'ACTIVE' && account?.status !== 'SUSPENDED') throw fault(IDENTITY.INVALID_MFA_TOKEN)
  assertActive(account)
  if (pwd !== (await passwordMark(db, services, accountId))) throw outdated()
  const { allowed } = await limits.take(`mfa-token:${jti}`, TRIES_PER_TOKEN, MFA_TOKEN_SECONDS)
  if (!allowed) throw fault(IDENTITY.INVALID_MFA_TOKEN, { hint: 'Too many attempts: sign in again' })
  const factor = factorOf(input)
  await withinTries(
    services,
    { name: 'mfa', accountId, origin: input.origin },
    async () =>
      (await proveFactor(services, accountId, { code: input.totpCode, factor })) || fault(IDENTITY.WRONG_SECOND_FACTOR),
  )
  // Once for each token, also when several second factors come with it at one moment.
  if (!(await limits.take(`mfa-used:${jti}`, 1, MFA_TOKEN_SECONDS)).allowed) throw outdated()
  return db.transaction(async tx => {
    // Looked at again: whoever set a new password meanwhile has ended the sessions of the old one.
    if (pwd !== (await passwordMark(tx, services, accountId, lockPasswordHolder))) throw outdated()
    if (factor === 'backup code') await noteBackupCode(tx, accountId, input.origin)
    return { account, ...(await startSession(tx, services, account, { method: 'mfa', origin: input.origin })) }
  })
}

const outdated = () => fault(IDENTITY.INVALID_MFA_TOKEN, { hint: 'Sign in again' })

async function readMfaToken(services: Services, token: string) {
  try {
    const { sub, jti, pwd } = (await tokensOf(services)).verify('mfa', token)
    return { accountId: String(sub), jti: String(jti), pwd: String(pwd) }
  } catch (cause) {
    throw fault(IDENTITY.INVALID_MFA_TOKEN, { hint: 'Sign in again', cause })
  }
}

type Factor = 'totp' | 'backup code'

function factorOf({ totpCode, useBackupCode }: SecondFactor): Factor {
  const looksLikeBackup = totpCode.replaceAll(/[\s-]/g, '').length === 10
  return (useBackupCode ?? looksLikeBackup) ? 'backup code' : 'totp'
}

const proveFactor = (
  services: Services,
  accountId: string,
  { code, factor }: { code: string; factor: Factor },
): Promise<boolean> =>
  factor === 'totp'
    ? proveTotp(services, accountId, { code, purpose: 'login' })
    : proveBackupCode(services, accountId, code)

const noteBackupCode = (tx: Tx, accountId: string, { ip, requestId }: Origin) =>
  audit(tx, {
    action: 'mfa.backup_code_used',
    actorId: accountId,
    actorKind: 'mfa_token',
    target: 'account',
    targetId: accountId,
    ip,
    requestId,
  })
