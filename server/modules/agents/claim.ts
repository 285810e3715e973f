import { createHash } from 'node:crypto'
import { demandStepUp, moveAgentKeys, revokeBoundKeys } from '#identity'
import { setWalletController } from '#wallets'
import { after, DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { randomToken } from '#platform/id'
import { react } from '#platform/reactions'
import type { Services } from '#platform/services'
import { agentById, demandWholeAccount, isOwner, knownAgent, lockAgent, lockAgentAfterDeals, type Agent } from './agent.ts'
import { AGENTS } from './faults.ts'
import { auditAgent, type Occasion } from './listing.ts'
import * as statements from './sql.ts'

const CLAIM_LIFE = 30 * DAY

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

export interface ClaimLink {
  claimUrl: string
  expiresAt: Date
}

/** A link with which one person may claim the agent: single use, 30 days of real time. */
export async function makeClaimLink(tx: Tx, agentId: string, publicUrl: string): Promise<ClaimLink> {
  const token = randomToken()
  const createdAt = tx.clock.real()
  const expiresAt = after(createdAt, CLAIM_LIFE)
  await tx.run(statements.insertClaimToken({ hash: hashOf(token), agentId, createdAt, expiresAt }))
  return { claimUrl: `${publicUrl}/claim/${token}`, expiresAt }
}

/** Its owner asks for another link, whoever has claimed it. With it anybody takes the agent: 403 without a fresh proof. */
export async function renewClaimLink(tx: Tx, actor: Actor, id: string, publicUrl: string): Promise<ClaimLink> {
  const agent = await knownAgent(tx, id)
  demandWholeAccount(actor)
  if (actor.accountId !== agent.ownerId)
    throw fault(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can create claim links' })
  await demandStepUp(tx, actor, tx.clock.real())
  return makeClaimLink(tx, agent.id, publicUrl)
}

/** `claimed`: a person owns the agent. `dead`: the link ran out, was used or never was. */
export type ClaimView = { state: 'good' | 'claimed'; agent: Agent } | { state: 'dead' }

/** What a page says of a claim link before anybody signs in. It does not use the link up. */
export async function viewClaimLink({ db, clock }: Pick<Services, 'db' | 'clock'>, token: string): Promise<ClaimView> {
  const link = await db.maybe(statements.claimTokenOf(hashOf(token)))
  const agent = link && (await agentById(db, link.agentId))
  if (!agent) return { state: 'dead' }
  if (agent.claimedById) return { state: 'claimed', agent }
  return link.usedAt || link.expiresAt <= clock.real() ? { state: 'dead' } : { state: 'good', agent }
}

/**
 * A person becomes the agent's owner; the agent's wallet and keys follow. Unknown, expired or used token 404;
 * a good one of an agent that a person owns already 409. Of many callers with one token one gets through.
 */
export async function claimAgent(tx: Tx, actor: Actor, token: string, occasion: Occasion): Promise<Agent> {
  const hash = hashOf(token)
  const good = await tx.maybe(statements.usableClaimToken(hash, tx.clock.real()))
  if (!good) throw fault(AGENTS.CLAIM_TOKEN_INVALID)
  const agent = await lockAgentAfterDeals(tx, good.agentId, ({ claimedById }) => {
    if (claimedById) throw fault(AGENTS.AGENT_ALREADY_CLAIMED)
  })
  await tx.run(statements.useClaimToken(hash, actor.accountId, tx.clock.real()))
  await tx.run(statements.setClaimedBy(agent.id, actor.accountId, tx.now))
  await setWalletController(tx, 'AGENT', agent.id, actor.accountId)
  await moveAgentKeys(tx, agent.id, actor.accountId)
  await auditAgent(tx, actor, { action: 'agent.claimed', agentId: agent.id, ...occasion })
  await react(tx, 'agent.claimed', { agentId: agent.id, accountId: actor.accountId })
  return knownAgent(tx, agent.id)
}

/**
 * Ends the creator's access to an agent that somebody else owns, and revokes the keys that the creator bound to it. For
 * the owner, with a fresh proof (403 `STEP_UP_REQUIRED`); 409 where the owner is the creator. Repeating it is no error.
 */
export async function detachCreator(tx: Tx, actor: Actor, id: string, occasion: Occasion): Promise<Agent> {
  const agent = await lockAgent(tx, id)
  if (!isOwner(actor, agent)) throw fault(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
  if (agent.creatorId === agent.ownerId)
    throw fault(AGENTS.CREATOR_IS_OWNER, { hint: 'The agent has no other creator to detach' })
  await demandStepUp(tx, actor, tx.clock.real())
  if (agent.creatorDetachedAt) return agent
  await tx.run(statements.setCreatorDetached(id, tx.now))
  await revokeBoundKeys(tx, actor, { agentId: id, accountId: agent.creatorId, ...occasion })
  const about = [agent.ownerId, agent.creatorId]
  await auditAgent(tx, actor, { action: 'agent.creator_detached', agentId: id, about, ...occasion })
  return knownAgent(tx, id)
}
