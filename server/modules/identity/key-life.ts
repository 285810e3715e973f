import { audit } from '#platform/audit'
import { after, DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { newId } from '#platform/id'
import { forgetCredentials } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { makeKey, type KeyKind } from './key.ts'
import * as statements from './sql/keys.ts'
import { endSessionsOfKey } from './sql/sessions.ts'

/** How long a replaced key stays good, in business time. */
export const KEY_GRACE = DAY
/** Replaced keys of one service account that may be valid at a time. */
const REPLACED_MAX = 10

/** Who acts on a key and from where, for the audit log. */
export interface KeyAuthor {
  actorId: string
  actorKind: string
  ip?: string
  requestId?: string
}

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
  place: KeyPlace & { inheritsFrom?: string },
  author: KeyAuthor,
): Promise<{ keyId: string; apiKey: string }> {
  const key = makeKey(place.kind)
  const keyId = newId()
  const times = { createdAt: tx.now, real: tx.clock.real() }
  const { hash, lastFour } = key
  const inheritsFrom = place.inheritsFrom ?? null
  await tx.run(statements.insertKey({ ...place, ...times, id: keyId, hash, lastFour, inheritsFrom }))
  await auditKey(tx, 'key.issued', { ...place, keyId }, author)
  return { keyId, apiKey: key.text }
}

/**
 * Puts a new key in the place of the active one, which stays good for 24 hours; null when that is none (any more). Who
 * presented the old key keeps what it proves; who asked in a session does not. 409 TOO_MANY_ROTATIONS while ten replaced
 * keys of the service account are still valid.
 */
export async function replaceKey(
  tx: Tx,
  active: { keyId: string } | { serviceAccountId: string },
  author: KeyAuthor,
): Promise<{ apiKey: string; oldKeyExpiresAt: Date } | null> {
  const oldKeyExpiresAt = after(tx.now, KEY_GRACE)
  const old = await tx.maybe(statements.beginGrace(active, oldKeyExpiresAt))
  if (!old) return null
  // Each keeps its 24 hours whatever follows, so that their number is what is bounded. The one above is counted too.
  const { replaced } = await tx.one(statements.countReplacedKeys(old.serviceAccountId, tx.now))
  if (replaced > REPLACED_MAX)
    throw fault(IDENTITY.TOO_MANY_ROTATIONS, { hint: 'Wait until their 24 hours are over, or revoke the keys' })
  forgetCredentials(tx)
  await auditKey(tx, 'key.rotated', old, author)
  const inheritsFrom = 'keyId' in active ? active.keyId : undefined
  const { apiKey } = await addKey(tx, { ...old, inheritsFrom }, author)
  return { apiKey, oldKeyExpiresAt }
}

/** Ends keys at once, those in grace too, with the sign-ins that were begun with them. Returns how many. */
export async function revokeKeys(tx: Tx, which: statements.KeyChoice, author: KeyAuthor): Promise<number> {
  const revoked = await tx.rows(statements.revokeKeys(which, tx.now))
  for (const key of revoked) {
    await tx.run(endSessionsOfKey(key.keyId, 'key_revoked', tx.clock.real()))
    await auditKey(tx, 'key.revoked', key, author)
  }
  forgetCredentials(tx)
  return revoked.length
}

async function auditKey(tx: Tx, action: string, key: KeyPlace & { keyId: string }, author: KeyAuthor): Promise<void> {
  const { keyId, kind, agentId, serviceAccountId } = key
  const target = agentId
    ? { target: 'agent', targetId: agentId }
    : { target: 'service_account', targetId: serviceAccountId }
  await audit(tx, { action, ...author, ...target, details: { keyId, kind } })
}
