import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { SCOPES, type RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import type { SqlPart } from '#platform/kernel/sql'
import type { Account } from '../account/account.ts'
import { invalidateCredentialCache } from '../credentials/authenticator.ts'
import { IDENTITY } from '../errors.ts'
import { addKey, replaceKey, revokeKeys } from '../credentials/key-lifecycle.ts'
import * as statements from '../credentials/key-sql.ts'
import { publishNarrowed } from './service-account.ts'

/** Issues an `sa_` key of one agent, which acts as `accountId`; 409 while an active one exists. */
export async function issueAgentKey(
  tx: Tx,
  input: { agentId: string; accountId: string },
): Promise<{ keyId: string; apiKey: string }> {
  const { agentId, accountId } = input
  const { id: serviceAccountId } = await tx.one(
    statements.agentServiceAccount({ id: newId(), accountId, agentId, scopes: SCOPES, now: tx.now }),
  )
  const author = { by: ['account', accountId] } as const
  return addKey(tx, author, { accountId, serviceAccountId, kind: 'sa', agentId })
}

const presentedKey = ({ principal }: RequestContext): string | null =>
  principal.via === 'session' ? null : principal.keyId

/** Replaces the key that the caller presented by one of the same kind; 401 if it is not the newest one. */
export async function rotatePresentedKey(
  tx: Tx,
  ctx: RequestContext,
): Promise<{ apiKey: string; oldKeyExpiresAt: Date }> {
  const keyId = presentedKey(ctx)
  const replaced = keyId && (await replaceKey(tx, ctx, { keyId }))
  if (!replaced) throw keyReplaced()
  return replaced
}

const keyReplaced = () =>
  apiError(IDENTITY.INVALID_API_KEY, { hint: 'The key has been rotated: use the new key' })

/**
 * Revokes every key of the agent, including `sk_` keys that are bound to it, and the presented key. Null if there was no
 * key to revoke; 401 if the presented key has been rotated (interface, states of an API key: "current key").
 */
export async function revokeAgentKeys(
  tx: Tx,
  ctx: RequestContext,
  agentId: string,
): Promise<{ serviceAccountId: string; revokedAt: Date } | null> {
  const bound = await tx.rows(statements.serviceAccountsOfAgent(agentId))
  const holder = bound.find(({ kind }) => kind === 'sa')
  const keyId = presentedKey(ctx)
  const presented = keyId ? await tx.maybe(statements.serviceAccountOfKey(keyId)) : undefined
  if (presented?.replaced) throw keyReplaced()
  let ended = 0
  for (const id of new Set([...bound, ...(presented ? [presented] : [])].map(found => found.id))) {
    ended += await revokeKeys(tx, ctx, { serviceAccountId: id })
    await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  }
  if (presented && ended) await publishNarrowed(tx, presented)
  const serviceAccountId = holder?.id ?? presented?.id ?? bound[0]?.id
  return ended && serviceAccountId ? { serviceAccountId, revokedAt: tx.now } : null
}

/** Revokes the `sk_` keys that an account has bound to one agent, and returns their number. */
export async function revokeBoundKeys(
  tx: Tx,
  ctx: RequestContext,
  { agentId, accountId }: { agentId: string; accountId: string },
): Promise<number> {
  let ended = 0
  for (const { id } of await tx.rows(statements.boundServiceAccounts(agentId, accountId))) {
    ended += await revokeKeys(tx, ctx, { serviceAccountId: id })
    await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  }
  return ended
}

/** Makes the keys of an agent act as another account, such as that of the person who claimed it. */
export async function moveAgentKeys(tx: Tx, agentId: string, accountId: string): Promise<void> {
  await tx.run(statements.moveAgentKeys(agentId, accountId))
  await tx.run(statements.moveAgentServiceAccount(agentId, accountId, tx.now))
  await invalidateCredentialCache(tx)
}

/** While an agent is suspended its keys are 403 `Agent suspended` on every operation. */
export async function suspendAgentKeys(tx: Tx, agentId: string, suspended: boolean): Promise<void> {
  await tx.run(statements.setAgentSuspended(agentId, suspended, tx.now))
  await invalidateCredentialCache(tx)
}

export const hasActiveAgentKey = async (q: Queryable, agentId: string): Promise<boolean> =>
  (await q.one(statements.agentKeyCounts(agentId))).active > 0

/** True if the agent had keys and none is active now: its escrows stay frozen until it has a new one. */
export async function areAgentKeysRevoked(q: Queryable, agentId: string): Promise<boolean> {
  const { active, ever } = await q.one(statements.agentKeyCounts(agentId))
  return ever > 0 && active === 0
}

/**
 * The plan of an account, and which of some agents had keys and have none that is active: their escrows stay frozen until
 * they have one again. Both may be subqueries of ids. Undefined if there is no such account.
 */
export const planAndRevokedAgents = (
  q: Queryable,
  accountId: SqlPart,
  agentIds: SqlPart,
): Promise<{ plan: Account['plan']; revokedAgents: string[] } | undefined> =>
  q.maybe(statements.planAndRevokedAgents(accountId, agentIds))
