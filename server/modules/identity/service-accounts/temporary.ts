import type { Scope } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import { publish } from '#platform/kernel/events'
import type { Services } from '#platform/kernel/services'
import { accountById } from '../account/account.ts'
import { addKey, revokeKeys, revokeSurplusKeys } from '../credentials/key-lifecycle.ts'
import * as statements from '../credentials/key-sql.ts'
import { accountKeyNarrowed } from '../events.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { createServiceAccount, keyAllowance, type ServiceAccountFields } from './service-account.ts'

/** Keys of one client that are valid at a time; a further one ends the oldest. */
const LIVE_MAX = 10

/**
 * A service account for a client that gets a new key again and again; each ends at `until` (business time). The
 * list shows `renewableUntil` (real time), which the caller keeps, as its end. Null above the limit of an account. The
 * spending limit counts for all keys together.
 */
export async function createTemporary(
  tx: Tx,
  services: Pick<Services, 'jobs' | 'secrets'>,
  { accountId, ...fields }: ServiceAccountFields & { accountId: string; renewableUntil: Date },
  until: Date,
): Promise<{ serviceAccountId: string; apiKey: string } | null> {
  await tx.run(statements.lockTemporary(accountId))
  const { active, max } = await keyAllowance(tx, accountId)
  if (active >= max) return null
  const { serviceAccount, apiKey } = await createServiceAccount(tx, accountId, fields)
  const { id: serviceAccountId } = serviceAccount
  await tx.run(statements.beginGrace({ serviceAccountId }, until))
  const account = await accountById(tx, accountId)
  if (account) await notifyOwner(tx, services, account, 'An application was connected to your account.')
  return { serviceAccountId, apiKey }
}

/**
 * Another key, until `until`, with the scopes that the service account has now; null if its owner has revoked or expired
 * it. At most ten are valid at a time.
 */
export async function renewTemporary(
  tx: Tx,
  serviceAccountId: string,
  until: Date,
): Promise<{ apiKey: string; scopes: readonly Scope[] } | null> {
  await tx.run(statements.lockServiceAccount(serviceAccountId))
  const { accountId, status, scopes, expiresAt } = await tx.one(
    statements.serviceAccountById(serviceAccountId),
  )
  if (status === 'REVOKED' || (expiresAt && expiresAt <= tx.now)) return null
  const place = { accountId, serviceAccountId, kind: 'sk', agentId: null } as const
  const author = { by: ['account', accountId] } as const
  await revokeSurplusKeys(tx, author, serviceAccountId, LIVE_MAX - 1)
  const { apiKey } = await addKey(tx, author, place)
  await tx.run(statements.beginGrace({ serviceAccountId }, until))
  return { apiKey, scopes }
}

/** Ends its keys for good. */
export async function endTemporary(
  tx: Tx,
  { accountId, serviceAccountId }: { accountId: string; serviceAccountId: string },
): Promise<void> {
  await tx.run(statements.lockServiceAccount(serviceAccountId))
  await revokeKeys(tx, { by: ['account', accountId] }, { serviceAccountId })
  await tx.run(statements.setServiceAccountRevoked(serviceAccountId, tx.now))
  await publish(tx, accountKeyNarrowed, { accountId })
}
