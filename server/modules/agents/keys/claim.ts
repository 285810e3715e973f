import { createHash } from 'node:crypto'
import { IDENTITY, requireStepUp, serviceAccounts } from '#identity'
import { setWalletController } from '#wallets'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { COMMON, apiError } from '#platform/kernel/errors'
import { type RequestContext, requireUnboundCredential, SCOPES } from '#platform/http/principal'
import { randomToken } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { agentById, isOwner, knownAgent, lockAgent, lockAgentAfterDeals, type Agent } from '../agent.ts'
import { requireAgentAllowance } from '../allowance.ts'
import { AGENTS } from '../errors.ts'
import { creatorDetached } from '../events.ts'
import { audit } from '#platform/kernel/audit'
import { publish } from '#platform/kernel/events'
import { part } from '#platform/kernel/sql'
import * as statements from '../sql.ts'
import { replaceKnownSecrets } from '../webhook-secret/webhook-secret.ts'

const CLAIM_LIFE = 30 * DAY

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

export interface ClaimLink {
  claimUrl: string
  expiresAt: Date
}

/** Creates a link with which one person may claim the agent: single use, valid for 30 days of real time. */
export async function makeClaimLink(tx: Tx, agentId: string, publicUrl: string): Promise<ClaimLink> {
  const token = randomToken()
  const createdAt = tx.clock.real()
  const expiresAt = after(createdAt, CLAIM_LIFE)
  await tx.run(statements.insertClaimToken({ hash: hashOf(token), agentId, createdAt, expiresAt }))
  return { claimUrl: `${publicUrl}/claim/${token}`, expiresAt }
}

/** Creates another claim link as the owner. Its holder can take the agent: 403 without step-up, and for a limited key. */
export async function renewClaimLink(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  publicUrl: string,
): Promise<ClaimLink> {
  const agent = await knownAgent(tx, id)
  requireUnboundCredential(ctx)
  requireUnlimitedKey(ctx)
  if (ctx.principal.accountId !== agent.ownerId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can create claim links' })
  await requireStepUp(tx, ctx, tx.clock.real())
  return makeClaimLink(tx, agent.id, publicUrl)
}

// A link gives away the agent with its wallet: the key needs what a sign-in with it needs (agent-login.ts).
function requireUnlimitedKey({ principal }: RequestContext): void {
  if (principal.via !== 'account-key') return
  if (principal.hasSpendingLimit || SCOPES.some(scope => !principal.scopes.includes(scope)))
    throw apiError(IDENTITY.KEY_TOO_NARROW, {
      hint: 'A claim link needs a key with every scope and no spending limit',
    })
}

/** Subscriber of what ends credentials of an account: a link that was made with them must not outlive them. */
export async function endClaimLinksOfAccount(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  const agentIds = part`select id from agents_agent where owner_id = ${accountId}`
  await tx.run(statements.endClaimTokens(agentIds, tx.clock.real()))
}

/** Subscriber of `agent.keys_revoked`: the announcement of an agent contains its key and its link. */
export async function endClaimLinksOfAgent(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await tx.run(statements.endClaimTokens(part`${agentId}::uuid`, tx.clock.real()))
}

/** Whether a person with a link may become the owner of the agent. */
export const hasOpenClaimLink = async (tx: Tx, { agentId }: { agentId: string }): Promise<boolean> =>
  (await tx.maybe(statements.openClaimTokenOf(agentId, tx.clock.real()))) !== undefined

/** `claimed`: a person owns the agent. `dead`: the link is expired, used or unknown. */
export type ClaimView = { state: 'good' | 'claimed'; agent: Agent } | { state: 'dead' }

/** The state of a claim link for its page, before the sign-in. Does not consume the link. */
export async function viewClaimLink(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  token: string,
): Promise<ClaimView> {
  const link = await db.maybe(statements.claimTokenOf(hashOf(token)))
  const agent = link && (await agentById(db, link.agentId))
  if (!agent) return { state: 'dead' }
  if (agent.claimedById) return { state: 'claimed', agent }
  return isDead(link, clock.real()) ? { state: 'dead' } : { state: 'good', agent }
}

const isDead = ({ usedAt, expiresAt }: statements.ClaimToken, real: Date): boolean =>
  usedAt !== null || expiresAt <= real

/**
 * Makes the caller the owner of the agent, its wallet and its keys; locks the live deals of the agent before the agent.
 * `claimAgent` of onboarding calls it, and then the modules above. Errors: 404 for an unknown, expired or used token,
 * 409 if a person owns the agent already, or the caller has as many agents as an account may. Of several calls with one token
 * exactly one succeeds.
 */
export async function transferAgentToClaimer(
  tx: Tx,
  ctx: RequestContext,
  token: string,
  services: Pick<Services, 'config'>,
): Promise<Agent> {
  const hash = hashOf(token)
  const link = await tx.maybe(statements.claimTokenOf(hash))
  if (!link || isDead(link, tx.clock.real())) throw apiError(AGENTS.CLAIM_TOKEN_INVALID)
  // The agent before the link, as the revocation of its keys locks them.
  const agent = await lockAgentAfterDeals(tx, link.agentId, () => undefined)
  if (!(await tx.maybe(statements.usableClaimToken(hash, tx.clock.real()))))
    throw apiError(AGENTS.CLAIM_TOKEN_INVALID)
  if (agent.claimedById) throw apiError(AGENTS.AGENT_ALREADY_CLAIMED)
  const isAdditional = agent.ownerId !== ctx.principal.accountId && agent.status !== 'ARCHIVED'
  if (isAdditional) await requireAgentAllowance(tx, ctx.principal.accountId, services)
  await tx.run(statements.useClaimToken(hash, ctx.principal.accountId, tx.clock.real()))
  await tx.run(statements.setClaimedBy(agent.id, ctx.principal.accountId, tx.now))
  await setWalletController(tx, 'AGENT', agent.id, ctx.principal.accountId)
  await serviceAccounts.moveAgentKeys(tx, agent.id, ctx.principal.accountId)
  await audit(tx, ctx, 'agent.claimed', { target: ['agent', agent.id] })
  return knownAgent(tx, agent.id)
}

/**
 * Ends the access of the creator to an agent that another account owns: the keys that it bound to the agent are revoked,
 * and no secret that it knows signs a message. Errors: 403 without step-up or unless the caller is the owner, 409 if the owner is the creator. Idempotent.
 */
export async function detachCreator(
  tx: Tx,
  ctx: RequestContext,
  id: string,
  services: Pick<Services, 'secrets'>,
): Promise<Agent> {
  const agent = await lockAgent(tx, id)
  if (!isOwner(ctx, agent))
    throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
  if (agent.creatorId === agent.ownerId)
    throw apiError(AGENTS.CREATOR_IS_OWNER, { hint: 'The agent has no other creator to detach' })
  await requireStepUp(tx, ctx, tx.clock.real())
  if (agent.creatorDetachedAt) return agent
  await tx.run(statements.setCreatorDetached(id, tx.now))
  await serviceAccounts.revokeBoundKeys(tx, ctx, { agentId: id, accountId: agent.creatorId })
  await replaceKnownSecrets(tx, services, id, agent.ownerId)
  await publish(tx, creatorDetached, { agentId: id, ownerId: agent.ownerId })
  const about = [agent.ownerId, agent.creatorId]
  await audit(tx, ctx, 'agent.creator_detached', { target: ['agent', id], about })
  return knownAgent(tx, id)
}
