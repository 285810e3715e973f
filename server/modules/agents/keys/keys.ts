import { requireStepUp, IDENTITY, serviceAccounts } from '#identity'
import type { Queryable, Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { publish } from '#platform/kernel/events'
import { canOperate, isOwner, lockAgentAfterDeals, type Agent, knownAgent } from '../agent.ts'
import { AGENTS } from '../errors.ts'
import { agentKeyIssued, agentKeysRevoked } from '../events.ts'
import { frozenEscrows } from '../ports.ts'

/**
 * Issues an `sa_` key as the owner of the agent and unfreezes the escrows that a revocation froze. Errors: 403 without
 * step-up, 409 while the agent has an active key.
 */
export async function issueKey(
  tx: Tx,
  ctx: RequestContext,
  id: string,
): Promise<{ keyId: string; apiKey: string }> {
  const agent = await lockAgentAfterDeals(tx, id, found => {
    if (!isOwner(ctx, found))
      throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can issue its key' })
  })
  await requireStepUp(tx, ctx, tx.clock.real())
  const issued = await serviceAccounts.issueAgentKey(tx, { agentId: id, accountId: agent.ownerId })
  await publish(tx, agentKeyIssued, { agentId: id })
  return issued
}

/** The agent of the presented key. A key of another agent is 401, like an unknown key. */
export async function requireKeyOf(q: Queryable, ctx: RequestContext, id: string): Promise<Agent> {
  const agent = await knownAgent(q, id)
  if (!canOperate(ctx, agent))
    throw apiError(IDENTITY.INVALID_API_KEY, { hint: 'This key does not belong to the agent' })
  return agent
}

/**
 * Replaces the presented key of this agent; the old one stays valid for 24 hours. 409 after a revocation: only a new key
 * of the agent, which its owner issues, lifts the freeze of its escrows, and rotating an account key does not.
 */
export async function rotateAgentKey(tx: Tx, ctx: RequestContext, agentId: string) {
  if (await serviceAccounts.areAgentKeysRevoked(tx, agentId))
    throw apiError(AGENTS.KEYS_REVOKED, { hint: 'Its owner issues a new key with POST /agents/{id}/keys' })
  const { apiKey, oldKeyExpiresAt } = await serviceAccounts.rotatePresentedKey(tx, ctx)
  return {
    newApiKey: apiKey,
    oldKeyExpiresAt: oldKeyExpiresAt.toISOString(),
    message: 'Store newApiKey now: it is not shown again. The old key remains valid until oldKeyExpiresAt.',
  }
}

/**
 * Revokes every key of the agent at once and freezes its escrows. 401 unless the caller is a key of the agent, its
 * creator or its owner.
 */
export async function revokeKeys(tx: Tx, ctx: RequestContext, id: string) {
  await lockAgentAfterDeals(tx, id, found => {
    if (!canOperate(ctx, found))
      throw apiError(COMMON.UNAUTHORIZED, {
        hint: 'Only a key of this agent, its creator or its claimer may revoke its keys',
      })
  })
  const revoked = await serviceAccounts.revokeAgentKeys(tx, ctx, id)
  if (!revoked) throw apiError(AGENTS.NO_ACTIVE_KEYS)
  await publish(tx, agentKeysRevoked, { agentId: id })
  return {
    revokedServiceAccountId: revoked.serviceAccountId,
    revokedAt: revoked.revokedAt.toISOString(),
    frozenEscrows: (await frozenEscrows.call(tx, { agentId: id })).flat(),
    message:
      'The keys are revoked. The escrows are frozen until the owner issues a new key with POST /agents/{id}/keys.',
  }
}
