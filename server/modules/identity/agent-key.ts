import { audit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { SCOPES } from '#platform/http/actor'
import { newId } from '#platform/id'
import { makeKey } from './key.ts'
import * as statements from './sql/keys.ts'

/** A first or new `sa_` key of one agent, acting as `accountId`; 409 while an active one exists. */
export async function issueAgentKey(tx: Tx, input: { agentId: string; accountId: string }): Promise<{ keyId: string; apiKey: string }> {
  const { agentId, accountId } = input
  const { id: serviceAccountId } = await tx.one(statements.agentServiceAccount({ id: newId(), accountId, agentId, scopes: SCOPES, now: tx.now }))
  const key = makeKey('sa')
  const keyId = newId()
  await tx.run(statements.insertKey({ id: keyId, accountId, serviceAccountId, kind: 'sa', agentId, hash: key.hash, lastFour: key.lastFour, createdAt: tx.now }))
  await audit(tx, { action: 'key.issued', actorId: accountId, actorKind: 'account', target: 'agent', targetId: agentId, details: { keyId, kind: 'sa' } })
  return { keyId, apiKey: key.text }
}

export const hasActiveAgentKey = async (q: Queryable, agentId: string): Promise<boolean> => (await q.one(statements.agentKeyCounts(agentId))).active > 0

/** Whether the agent had keys and none is active now: its escrows stay frozen until it has one again. */
export async function agentKeysRevoked(q: Queryable, agentId: string): Promise<boolean> {
  const { active, ever } = await q.one(statements.agentKeyCounts(agentId))
  return ever > 0 && active === 0
}
