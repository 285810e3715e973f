import { agentKeysRevoked, demandStepUp, IDENTITY, issueAgentKey, revokeAgentKeys, rotateKey } from '#identity'
import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { react } from '#platform/reactions'
import { canOperate, isOwner, lockAgentAfterDeals, type Agent, knownAgent } from './agent.ts'
import { AGENTS } from './faults.ts'
import type { Occasion } from './listing.ts'

/** A new `sa_` key by the agent's owner, 403 without a fresh proof; 409 while it has an active one. What a revocation froze goes on. */
export async function issueKey(tx: Tx, actor: Actor, id: string): Promise<{ keyId: string; apiKey: string }> {
  const agent = await lockAgentAfterDeals(tx, id, found => {
    if (!isOwner(actor, found)) throw fault(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can issue its key' })
  })
  await demandStepUp(tx, actor, tx.clock.real())
  const issued = await issueAgentKey(tx, { agentId: id, accountId: agent.ownerId })
  await react(tx, 'agent.key_issued', { agentId: id })
  return issued
}

/** The agent that the presented key belongs to; a key of another agent is a 401, as an unknown one. */
export async function requireKeyOf(q: Queryable, actor: Actor, id: string): Promise<Agent> {
  const agent = await knownAgent(q, id)
  if (!canOperate(actor, agent)) throw fault(IDENTITY.INVALID_API_KEY, { hint: 'This key does not belong to the agent' })
  return agent
}

/**
 * Replaces the presented key of this agent; the old one stays valid for 24 hours. 409 after a revocation: only a new key
 * of the agent, which its owner issues, lifts the freeze of its escrows, and rotating an account key does not.
 */
export async function rotateAgentKey(tx: Tx, actor: Actor, agent: Agent, { ip, requestId }: Occasion) {
  if (await agentKeysRevoked(tx, agent.id)) throw fault(AGENTS.KEYS_REVOKED, { hint: 'Its owner issues a new key with POST /agents/{id}/keys' })
  const { apiKey, oldKeyExpiresAt } = await rotateKey(tx, actor, { agentId: agent.id, ip, requestId })
  return {
    newApiKey: apiKey,
    oldKeyExpiresAt: oldKeyExpiresAt.toISOString(),
    message: 'Store newApiKey now: it is not shown again. The old key remains valid until oldKeyExpiresAt.',
  }
}

/** Ends every key of the agent at once, by one of them, its creator or claimer, else 401; its escrows stand still. */
export async function revokeKeys(tx: Tx, actor: Actor, id: string, { ip, requestId }: Occasion) {
  await lockAgentAfterDeals(tx, id, found => {
    if (!canOperate(actor, found))
      throw fault(COMMON.UNAUTHORIZED, {
        hint: 'Only a key of this agent, its creator or its claimer may revoke its keys',
      })
  })
  const revoked = await revokeAgentKeys(tx, actor, { agentId: id, ip, requestId })
  if (!revoked) throw fault(AGENTS.NO_ACTIVE_KEYS)
  const { data } = await react(tx, 'agent.keys_revoked', { agentId: id })
  return {
    revokedServiceAccountId: revoked.serviceAccountId,
    revokedAt: revoked.revokedAt.toISOString(),
    frozenEscrows: (data.frozenEscrows as FrozenEscrow[] | undefined) ?? [],
    message: 'The keys are revoked. The escrows are frozen until the owner issues a new key with POST /agents/{id}/keys.',
  }
}

interface FrozenEscrow {
  escrowId: string
  amount: string
  counterpartyWalletId: string
  originalStatus: string
}
