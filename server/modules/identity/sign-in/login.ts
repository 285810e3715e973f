import { createHmac } from 'node:crypto'
import type { PublicContext } from '#platform/http/principal'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import * as accounts from '../account/sql.ts'
import { inHashingSlot } from '../credentials/hashing-queue.ts'
import { hashPassword, needsRehash, passwordFits } from '../credentials/password.ts'
import { IDENTITY } from '../errors.ts'
import { ATTEMPTS_MAX, auditRefusedAttempt, WINDOW_SECONDS } from '../mfa/attempts.ts'
import { knownDevice } from './device.ts'
import { signIn, type MfaRequired, type SignedIn } from './sign-in.ts'

interface LoginAttempt {
  email: string
  password: string
  /** The content of the device cookie, if there is one. */
  deviceToken: string | undefined
}

/**
 * Signs in by password, or requires the second factor. An unknown email and a wrong password get the same response after
 * the same work. 10 attempts in 15 minutes for each email, and 10 more for each device that signed in before, so that
 * others cannot lock out the owner.
 */
export async function login(
  services: Services,
  ctx: PublicContext,
  attempt: LoginAttempt,
): Promise<MfaRequired | SignedIn> {
  const { db } = services
  const { holder, passwordHash } = await provePassword(services, ctx, attempt)
  const newHash = needsRehash(passwordHash)
    ? await hashPassword(attempt.password, { ip: ctx.ip, account: holder.id })
    : null
  const result = await db.transaction(async tx => {
    const account = await tx.maybe(accounts.lockPasswordHolder(holder.id))
    if (account?.passwordHash !== passwordHash) return null
    if (newHash) await tx.run(accounts.setPassword(holder.id, newHash, tx.now))
    return signIn(tx, ctx, { account, method: 'password' }, services)
  })
  // The password was changed meanwhile, which ends the sessions of the old one: prove it again.
  return result ?? login(services, ctx, attempt)
}

// Count the attempt before hashing, inside the hashing slot, so that concurrent requests cannot exceed the limit, and
// successful sign-ins never fill it.
async function provePassword(
  services: Services,
  ctx: PublicContext,
  { email, password, deviceToken }: LoginAttempt,
) {
  const { db, limits, secrets } = services
  return inHashingSlot({ ip: ctx.ip, account: email.toLowerCase() }, async () => {
    const holder = await db.maybe(accounts.passwordHolder(email))
    const device = holder && knownDevice(services, deviceToken, holder.id)
    const subject = createHmac('sha256', secrets.derive('identity/login'))
      .update(email.toLowerCase())
      .digest('base64url')
    const key = `login:${subject}${device ? `:${device}` : ''}`
    const { remaining } = await limits.requireQuota(key, ATTEMPTS_MAX, WINDOW_SECONDS)
    const passwordHash = holder?.passwordHash ?? null
    const fits = await passwordFits(password, passwordHash)
    if (fits && holder && passwordHash) {
      await limits.reset(key)
      return { holder, passwordHash }
    }
    await auditRefusedAttempt(services, ctx, 'login', { accountId: holder?.id ?? null, remaining })
    throw apiError(IDENTITY.INVALID_CREDENTIALS)
  })
}
