import { audit, type Author } from '#platform/kernel/audit'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { invalidateCredentialCache } from './authenticator.ts'
import { IDENTITY } from '../errors.ts'
import { KEY_GRACE, makeKey, type KeyKind } from './key.ts'
import * as statements from './key-sql.ts'
import { endSessionsOfKeys } from './session-sql.ts'

/** Replaced keys of one service account that may be valid at a time. */
const REPLACED_MAX = 10

export interface KeyPlace {
  accountId: string
  serviceAccountId: string
  kind: KeyKind
  agentId: string | null
}

/**
 * A new key of a service account, which must have no active one. Its text is shown this once. A key with `inheritsFrom`
 * proves its owner as long as that key did (step-up.ts).
 */
export async function addKey(
  tx: Tx,
  author: Author,
  place: KeyPlace & { inheritsFrom?: string },
): Promise<{ keyId: string; apiKey: string }> {
  const key = makeKey(place.kind)
  const keyId = newId()
  const times = { createdAt: tx.now, real: tx.clock.real() }
  const { hash, lastFour } = key
  const inheritsFrom = place.inheritsFrom ?? null
  await tx.run(statements.insertKey({ ...place, ...times, id: keyId, hash, lastFour, inheritsFrom }))
  await auditKey(tx, author, 'key.issued', { ...place, keyId })
  return { keyId, apiKey: key.text }
}

/**
 * Replaces the active key, which stays valid for 24 hours; null if it is no longer active. The caller that
 * presented the old key keeps what it proves; who asked in a session does not. 409 TOO_MANY_ROTATIONS while ten replaced
 * keys of the service account are still valid.
 */
export async function replaceKey(
  tx: Tx,
  author: Author,
  active: { keyId: string } | { serviceAccountId: string },
): Promise<{ apiKey: string; oldKeyExpiresAt: Date } | null> {
  await tx.run(statements.lockServiceAccounts(active))
  const oldKeyExpiresAt = after(tx.now, KEY_GRACE)
  const old = await tx.maybe(statements.beginGrace(active, oldKeyExpiresAt))
  if (!old) return null
  // Each keeps its 24 hours whatever follows, so that their number is what is bounded. The one above is counted too.
  const { replaced } = await tx.one(statements.countReplacedKeys(old.serviceAccountId, tx.now))
  if (replaced > REPLACED_MAX)
    throw apiError(IDENTITY.TOO_MANY_ROTATIONS, {
      hint: 'Wait until their 24 hours are over, or revoke the keys',
    })
  await invalidateCredentialCache(tx)
  await auditKey(tx, author, 'key.rotated', old)
  const inheritsFrom = 'keyId' in active ? active.keyId : undefined
  const { apiKey } = await addKey(tx, author, { ...old, inheritsFrom })
  return { apiKey, oldKeyExpiresAt }
}

/** Ends keys at once, those in grace too, with the sign-ins that were begun with them. Returns how many. */
export async function revokeKeys(tx: Tx, author: Author, which: statements.KeyChoice): Promise<number> {
  // A rotation that holds one has then added its new key, which the update would not see otherwise.
  await tx.run(statements.lockServiceAccounts(which))
  const revoked = await tx.rows(statements.revokeKeys(which, tx.now))
  await endUse(tx, author, revoked)
  return revoked.length
}

/** Ends the keys of a service account whose time is over, and the oldest ones, so that at most `max` are left. */
export async function revokeSurplusKeys(
  tx: Tx,
  author: Author,
  serviceAccountId: string,
  max: number,
): Promise<void> {
  await endUse(tx, author, await tx.rows(statements.revokeSurplusKeys(serviceAccountId, max, tx.now)))
}

// A key whose time was over is not audited: nobody could use it.
async function endUse(tx: Tx, author: Author, revoked: readonly statements.PlacedKey[]): Promise<void> {
  const ids = revoked.map(({ keyId }) => keyId)
  await tx.run(endSessionsOfKeys(ids, 'key_revoked', tx.clock.real()))
  for (const key of revoked)
    if (!key.graceUntil || key.graceUntil > tx.now) await auditKey(tx, author, 'key.revoked', key)
  await invalidateCredentialCache(tx)
}

async function auditKey(
  tx: Tx,
  author: Author,
  action: string,
  { keyId, kind, agentId, serviceAccountId }: KeyPlace & { keyId: string },
): Promise<void> {
  const target = agentId ? (['agent', agentId] as const) : (['service_account', serviceAccountId] as const)
  await audit(tx, author, action, { target, details: { keyId, kind } })
}
