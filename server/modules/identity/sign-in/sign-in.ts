import { createHmac } from 'node:crypto'
import type { PublicContext } from '#platform/http/principal'
import { attribute, audit } from '#platform/kernel/audit'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { accountById, type Account } from '../account/account.ts'
import { lockPasswordHolder, passwordHolderById } from '../account/sql.ts'
import { startSession, type TokenPair } from '../credentials/session.ts'
import { tokensOf } from '../credentials/token.ts'
import { IDENTITY } from '../errors.ts'
import { withAttemptLimit } from '../mfa/attempts.ts'
import { isMfaEnabled, proveBackupCode, proveTotp } from '../mfa/second-factor.ts'
import { takeNewPassword, type NewPassword } from './new-password.ts'

const MFA_TOKEN_SECONDS = (5 * MINUTE) / SECOND
const ATTEMPTS_PER_TOKEN = 5

export type SignedIn = { account: Account } & TokenPair
export interface MfaRequired {
  mfaRequired: true
  mfaToken: string
}

interface FirstFactor {
  account: Account
  method: string
  /** A password that is set when the second factor is proved. */
  newPassword?: NewPassword
}

/**
 * Signs in a caller who proved one factor: starts a session, or requires the second factor. 403 for a suspended account.
 */
export async function signIn(
  tx: Tx,
  ctx: PublicContext,
  { account, method, newPassword }: FirstFactor,
  services: Services,
): Promise<SignedIn | MfaRequired> {
  requireActive(account)
  if (!(await isMfaEnabled(tx, account.id)))
    return { account, ...(await startSession(tx, ctx, { accountId: account.id, method }, services)) }
  const claims = {
    sub: account.id,
    pwd: await passwordFingerprint(tx, services, account.id),
    ...(newPassword ? { next: sealed(services, account.id, newPassword) } : {}),
  }
  return { mfaRequired: true, mfaToken: (await tokensOf(services)).sign('mfa', claims, MFA_TOKEN_SECONDS) }
}

const contextOf = (accountId: string): string => `new-password/${accountId}`

const sealed = ({ secrets }: Services, accountId: string, newPassword: NewPassword): string =>
  secrets.seal(JSON.stringify(newPassword), contextOf(accountId))

const opened = ({ secrets }: Services, accountId: string, text: string): NewPassword =>
  JSON.parse(secrets.open(text, contextOf(accountId))) as NewPassword

function requireActive({ status }: Account): void {
  if (status === 'SUSPENDED')
    throw apiError(IDENTITY.ACCOUNT_SUSPENDED, {
      hint: 'This account has been suspended by an administrator',
    })
}

// Part of the MFA token: changing the password invalidates outstanding MFA tokens.
async function passwordFingerprint(
  q: Queryable,
  { secrets }: Services,
  accountId: string,
  holderOf = passwordHolderById,
): Promise<string> {
  const { passwordHash } = await q.one(holderOf(accountId))
  return createHmac('sha256', secrets.derive('identity/mfa-token'))
    .update(passwordHash ?? '')
    .digest('base64url')
}

interface SecondFactor {
  mfaToken: string
  totpCode: string
  useBackupCode?: boolean
}

/**
 * The second step of a sign-in. 401 for an invalid token, a wrong code or after 5 attempts with one token; 429 after 10
 * attempts of the account.
 */
export async function signInWithSecondFactor(
  services: Services,
  ctx: PublicContext,
  input: SecondFactor,
): Promise<SignedIn> {
  const { db, limits } = services
  const { accountId, jti, pwd, next } = await readMfaToken(services, input.mfaToken)
  const account = await accountById(db, accountId)
  if (account?.status !== 'ACTIVE' && account?.status !== 'SUSPENDED')
    throw apiError(IDENTITY.INVALID_MFA_TOKEN)
  requireActive(account)
  if (pwd !== (await passwordFingerprint(db, services, accountId))) throw outdated()
  const { allowed } = await limits.take(`mfa-token:${jti}`, ATTEMPTS_PER_TOKEN, MFA_TOKEN_SECONDS)
  if (!allowed) throw apiError(IDENTITY.INVALID_MFA_TOKEN, { hint: 'Too many attempts: sign in again' })
  const factor = factorOf(input)
  await withAttemptLimit(
    services,
    ctx,
    { name: 'mfa', accountId },
    async () =>
      (await proveFactor(services, accountId, { code: input.totpCode, factor })) ||
      apiError(IDENTITY.WRONG_SECOND_FACTOR),
  )
  // Each token works once, also with several concurrent codes.
  if (!(await limits.take(`mfa-used:${jti}`, 1, MFA_TOKEN_SECONDS)).allowed) throw outdated()
  return db.transaction(async tx => {
    // Checked again under the lock: a concurrent change of the password ends the sessions of the old one.
    if (pwd !== (await passwordFingerprint(tx, services, accountId, lockPasswordHolder))) throw outdated()
    const author = attribute(ctx, 'mfa_token', accountId)
    if (factor === 'backup code')
      await audit(tx, author, 'mfa.backup_code_used', { target: ['account', accountId] })
    if (next !== null)
      await takeNewPassword(tx, author, { account, ...opened(services, accountId, next) }, services)
    return { account, ...(await startSession(tx, ctx, { accountId, method: 'mfa' }, services)) }
  })
}

const outdated = () => apiError(IDENTITY.INVALID_MFA_TOKEN, { hint: 'Sign in again' })

async function readMfaToken(services: Services, token: string) {
  try {
    const { sub, jti, pwd, next } = (await tokensOf(services)).verify('mfa', token)
    const text = typeof next === 'string' ? next : null
    return { accountId: String(sub), jti: String(jti), pwd: String(pwd), next: text }
  } catch (cause) {
    throw apiError(IDENTITY.INVALID_MFA_TOKEN, { hint: 'Sign in again', cause })
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
