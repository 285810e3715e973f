import { SCOPES, type PublicContext } from '#platform/http/principal'
import { after, DAY, MINUTE } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { accountByUsername } from '../account/account.ts'
import { requireUsable } from '../credentials/authenticator.ts'
import {
  isBoundKey,
  isKeyOldest,
  keyHolder,
  lockKeyForShare,
  touchKey,
  type KeyHolder,
} from '../credentials/key-sql.ts'
import { hashOfKey, isWellFormedKey } from '../credentials/key.ts'
import { startSession } from '../credentials/session.ts'
import { IDENTITY } from '../errors.ts'
import { isMfaEnabled } from '../mfa/second-factor.ts'
import type { SignedIn } from './sign-in.ts'

/** For this time after the end of a session a newer key is no proof: a thief may have created it and ended the session. */
const SUSPECT_FOR = DAY

/**
 * Signs in an agent account with its key, which needs every scope, the whole account and no spending limit, because an
 * access token has no limits. The sign-in counts as step-up only if the account has no second factor and no older session that could have
 * created the key.
 */
export async function agentLogin(
  services: Services,
  ctx: PublicContext,
  { username, apiKey }: { username: string; apiKey: string },
): Promise<SignedIn> {
  const { db, clock } = services
  const account = await accountByUsername(db, username)
  const hash = isWellFormedKey(apiKey) && apiKey.startsWith('sk_') ? hashOfKey(apiKey) : undefined
  const known = hash && (await db.maybe(keyHolder(hash)))
  if (!account || !hash || known?.accountId !== account.id) throw apiError(IDENTITY.INVALID_CREDENTIALS)
  const signedIn = await db.transaction(async tx => {
    // Locked and read again: a concurrent revocation comes before and refuses the key, or after and ends the session.
    await tx.run(lockKeyForShare(known.keyId))
    const { keyId } = requireUnlimited(await tx.maybe(keyHolder(hash)), clock.now())
    const { oldest } = await tx.one(isKeyOldest(keyId, after(clock.real(), -SUSPECT_FOR)))
    const isProof = oldest && !(await isMfaEnabled(tx, account.id))
    const start = { accountId: account.id, method: 'agent_key', keyId, isProof }
    return { account, ...(await startSession(tx, ctx, start, services)) }
  })
  const real = clock.real()
  await db.run(touchKey(known.keyId, real, after(real, -MINUTE)))
  return signedIn
}

function requireUnlimited(holder: KeyHolder | undefined, now: Date): KeyHolder {
  requireUsable(holder, now)
  const missing = SCOPES.filter(scope => !holder.scopes?.includes(scope))
  if (missing.length) throw apiError(IDENTITY.KEY_TOO_NARROW, { hint: `The key lacks ${missing.join(', ')}` })
  if (isBoundKey(holder))
    throw apiError(IDENTITY.KEY_TOO_NARROW, { hint: 'The key is bound to one agent or organization' })
  if (holder.hasSpendingLimit)
    throw apiError(IDENTITY.KEY_TOO_NARROW, { hint: 'The key has a spending limit' })
  return holder
}
