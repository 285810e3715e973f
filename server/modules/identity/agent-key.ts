import type { Queryable, Tx } from '#platform/db'
import { fault } from '#platform/fault'
import { SCOPES, type Actor } from '#platform/http/actor'
import { newId } from '#platform/id'
import { forgetCredentials } from './authenticator.ts'
import { IDENTITY } from './faults.ts'
import { addKey, replaceKey, revokeKeys } from './key-life.ts'
import * as statements from './sql/keys.ts'

/** A first or new `sa_` key of one agent, acting as `accountId`; 409 while an active one exists. */
export async function issueAgentKey(
  tx: Tx,
  input: { agentId: string; accountId: string },
): Promise<{ keyId: string; apiKey: string }> {
  const { agentId, accountId } = input
  const { id: serviceAccountId } = await tx.one(
    statements.agentServiceAccount({ id: newId(), accountId, agentId, scopes: SCOPES, now: tx.now }),
  )
  return addKey(tx, { accountId, serviceAccountId, kind: 'sa', agentId }, { actorId: accountId, actorKind: 'account' })
}

export interface KeyAct {
  agentId: string
  ip?: string
  requestId?: string
}

const authorOf = (actor: Actor, { ip, requestId }: KeyAct) => ({
  actorId: actor.accountId,
  actorKind: actor.kind,
  ip,
  requestId,
})

/** Replaces the key that the caller presented by one of its kind; 401 when that is not the newest one. */
export async function rotateKey(tx: Tx, actor: Actor, act: KeyAct): Promise<{ apiKey: string; oldKeyExpiresAt: Date }> {
  const replaced = actor.keyId && (await replaceKey(tx, { keyId: actor.keyId }, authorOf(actor, act)))
  if (!replaced) throw fault(IDENTITY.INVALID_API_KEY, { hint: 'The key has been rotated: use the new key' })
  return replaced
}

/** Ends every key of the agent, `sk_` keys made for it too, and the presented key; null when there was none to end. */
export async function revokeAgentKeys(
  tx: Tx,
  actor: Actor,
  act: KeyAct,
): Promise<{ serviceAccountId: string; revokedAt: Date } | null> {
  const author = authorOf(actor, act)
  const bound = await tx.rows(statements.serviceAccountsOfAgent(act.agentId))
  const holder = bound.find(({ kind }) => kind === 'sa')
  const presented = actor.keyId ? await tx.maybe(statements.serviceAccountOfKey(actor.keyId)) : undefined
  let ended = 0
  for (const id of new Set([...bound, ...(presented ? [presented] : [])].map(found => found.id))) {
    ended += await revokeKeys(tx, { serviceAccountId: id }, author)
    await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  }
  const serviceAccountId = holder?.id ?? presented?.id ?? bound[0]?.id
  return ended && serviceAccountId ? { serviceAccountId, revokedAt: tx.now } : null
}

/** Ends the `sk_` keys that an account has bound to one agent. Returns how many. */
export async function revokeBoundKeys(tx: Tx, actor: Actor, act: KeyAct & { accountId: string }): Promise<number> {
  let ended = 0
  for (const { id } of await tx.rows(statements.boundServiceAccounts(act.agentId, act.accountId))) {
    ended += await revokeKeys(tx, { serviceAccountId: id }, authorOf(actor, act))
    await tx.run(statements.setServiceAccountRevoked(id, tx.now))
  }
  return ended
}

/** The agent's keys act as another account from now on, such as that of the person who claimed it. */
export async function moveAgentKeys(tx: Tx, agentId: string, accountId: string): Promise<void> {
  await tx.run(statements.moveAgentKeys(agentId, accountId))
  await tx.run(statements.moveAgentServiceAccount(agentId, accountId, tx.now))
  forgetCredentials(tx)
}

/** While an agent is suspended its keys are 403 `Agent suspended` on every operation. */
export async function suspendAgentKeys(tx: Tx, agentId: string, suspended: boolean): Promise<void> {
  await tx.run(statements.setAgentSuspended(agentId, suspended, tx.now))
  forgetCredentials(tx)
}

export const hasActiveAgentKey = async (q: Queryable, agentId: string): Promise<boolean> =>
  (await q.one(statements.agentKeyCounts(agentId))).active > 0

/** Whether the agent had keys and none is active now: its escrows stay frozen until it has one again. */
export async function agentKeysRevoked(q: Queryable, agentId: string): Promise<boolean> {
  const { active, ever } = await q.one(statements.agentKeyCounts(agentId))
  return ever > 0 && active === 0
}
