import { demandStepUp, issueAgentKey, revokeAgentKeys, rotateKey } from '#identity'
import type { Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { react } from '#platform/reactions'
import { canOperate, isOwner, lockAgentAfterDeals, type Agent } from './agent.ts'
import { AGENTS } from './faults.ts'
import type { Occasion } from './listing.ts'

/** A new `sa_` key by the agent's owner, 403 without a fresh proof; 409 while it has an active one. What a revocation froze goes on. */
export async function issueKey(tx: Tx, actor: Actor, id: string): Promise<{ keyId: string; apiKey: string }> {
  const agent = await lockAgentAfterDeals(tx, id, found => {
    if (!isOwner(actor, found)) throw fault(COMMON.FORBIDDEN, { hint: 'only the owner of the agent issues its key' })
  })
  await demandStepUp(tx, actor, tx.clock.real())
  const issued = await issueAgentKey(tx, { agentId: id, accountId: agent.ownerId })
  await react(tx, 'agent.key_issued', { agentId: id })
  return issued
}

/** Replaces the presented key of this agent; the old one stays good for 24 hours. */
export async function rotateAgentKey(tx: Tx, actor: Actor, agent: Agent, { ip, requestId }: Occasion) {
  const { apiKey, oldKeyExpiresAt } = await rotateKey(tx, actor, { agentId: agent.id, ip, requestId })
  return {
    newApiKey: apiKey,
    oldKeyExpiresAt: oldKeyExpiresAt.toISOString(),
    message: 'Store newApiKey now: it is not shown again. The old key stays good until oldKeyExpiresAt.',
  }
}

/** Ends every key of the agent at once, by one of them, its creator or claimer, else 401; its escrows stand still. */
export async function revokeKeys(tx: Tx, actor: Actor, id: string, { ip, requestId }: Occasion) {
  await lockAgentAfterDeals(tx, id, found => {
    if (!canOperate(actor, found))
      throw fault(COMMON.UNAUTHORIZED, {
        hint: 'only a key of this agent, its creator or its claimer may revoke its keys',
      })
  })
  const revoked = await revokeAgentKeys(tx, actor, { agentId: id, ip, requestId })
  if (!revoked) throw fault(AGENTS.NO_ACTIVE_KEYS)
  const { data } = await react(tx, 'agent.keys_revoked', { agentId: id })
  return {
    revokedServiceAccountId: revoked.serviceAccountId,
    revokedAt: revoked.revokedAt.toISOString(),
    frozenEscrows: (data.frozenEscrows as FrozenEscrow[] | undefined) ?? [],
    message: 'The keys work no more. Escrows stand still until the owner issues a new key with POST /agents/{id}/keys.',
  }
}

interface FrozenEscrow {
  escrowId: string
  amount: string
  counterpartyWalletId: string
  originalStatus: string
}
