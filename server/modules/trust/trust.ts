import { agentStats, lockAgentIfAny, type Agent } from '#agents'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import type { SqlPart } from '#platform/kernel/sql'
import * as statements from './sql.ts'
import type { Change, OutcomeRow, Policy, Standing } from './sql.ts'
import { tierOf, type TrustTier } from './tier.ts'

export interface DealEnd {
  agentId: string
  dealId: string
  counterpartyAccountId: string
  selfDeal: boolean
  test: boolean
  /** Gross, in micro-units. */
  amount: bigint
  /** Delivered by its deadline; true when there was none. */
  onTime?: boolean
  /** By its buyer. */
  disputed?: boolean
}

/** What the deals of an agent prove. Its row is locked, so that deals that end at the same time count one after the other. */
export interface Evidence extends Standing, Policy {
  agent: Agent
  /** The outcome of the deal in question has been recorded. */
  isRecorded: boolean
}

/** The evidence for another deal. Ids may be subqueries. Null without such an agent. */
export async function lockEvidence(
  tx: Tx,
  agentId: string | SqlPart,
  dealId: string | SqlPart,
): Promise<Evidence | null> {
  const [agent, standing] = await Promise.all([
    lockAgentIfAny(tx, agentId),
    tx.one(statements.standingOf(agentId, dealId)),
  ])
  return agent ? { agent, ...standing } : null
}

/** COMPLETED or FAILED: the seller failed a deal that it had accepted or started. */
export type Outcome = OutcomeRow['outcome']

/** What an outcome changes at once. The score follows from it within seconds (`evaluate.ts`). */
export interface TrustChange {
  agent: Agent
  outcome: statements.NewOutcome
  /** It counts: the score is to be computed. */
  isNews: boolean
  tier: TrustTier
  standing: Standing
}

/** Tier and standing after another outcome; null for a deal that has been recorded. */
export function planOutcome(
  evidence: Evidence,
  deal: DealEnd,
  outcome: Outcome,
  now: Date,
): TrustChange | null {
  const { agent, isRecorded, testDealsCount, minCompletion, ...before } = evidence
  if (isRecorded) return null
  const counts = !deal.selfDeal && (!deal.test || testDealsCount)
  const completions = counts && outcome === 'COMPLETED' ? 1 : 0
  const standing = {
    completions: before.completions + completions,
    forTier: before.forTier + (deal.amount >= minCompletion ? completions : 0),
    selfDeals: before.selfDeals + (deal.selfDeal ? 1 : 0),
    testDeals: before.testDeals + (deal.test && !deal.selfDeal ? 1 : 0),
  }
  return {
    agent,
    outcome: { onTime: outcome === 'COMPLETED', disputed: false, ...deal, outcome, at: now },
    isNews: counts,
    tier: tierOf(agent, standing.forTier),
    standing,
  }
}

/** Writes a planned outcome with the commit. */
export function writeOutcome(tx: Tx, { agent, outcome, isNews, tier, standing }: TrustChange): void {
  const reason = outcome.outcome === 'COMPLETED' ? 'DEAL_COMPLETED' : 'DEAL_FAILED'
  const change = changeOf(agent, { reason, dealId: outcome.dealId, tier })
  const history = change && { ...change, id: newId(), agentId: agent.id, at: tx.now }
  tx.write(statements.insertOutcome(outcome, { standing, reason, isNews, history }))
  if (isNews) agentStats.writeTrust(tx, agent.id, { tier, completions: standing.completions })
}

/** The entry of the history for a new tier or score; null where neither changes. */
export function changeOf(
  { trustTier, trustScore }: Agent,
  after: Pick<Change, 'reason' | 'dealId'> & { tier?: TrustTier; score?: number },
): Change | null {
  const { reason, dealId, tier = trustTier, score = trustScore } = after
  if (tier === trustTier && score === trustScore) return null
  return { reason, dealId, tierFrom: trustTier, tierTo: tier, scoreFrom: trustScore, scoreTo: score }
}

/** An agent with enough completions becomes VERIFIED by its claim. The caller holds the lock of the agent. */
export async function reevaluateClaimedAgent(tx: Tx, agent: Agent): Promise<void> {
  // Deals with its new owner count no more.
  await tx.run(statements.recount('CLAIMED', tx.now, { agentId: agent.id }))
  const { completions, forTier } = await tx.one(statements.standingOf(agent.id, null))
  const tier = tierOf(agent, forTier)
  const change = changeOf(agent, { reason: 'CLAIMED', dealId: null, tier })
  if (change)
    await tx.run(statements.insertHistory({ ...change, id: newId(), agentId: agent.id, at: tx.now }))
  agentStats.writeTrust(tx, agent.id, { tier, completions })
}

/**
 * The bank took back what a completed deal had paid: it does not count any more. A tier that was reached stays. The caller
 * has locked the deal.
 */
export async function annulCompletion(
  tx: Tx,
  { agentId, dealId }: { agentId: string; dealId: string },
): Promise<void> {
  const agent = await lockAgentIfAny(tx, agentId)
  if (!agent || !(await tx.maybe(statements.setChargedBack(agentId, dealId)))) return
  await tx.run(statements.recount('CHARGEBACK', tx.now, { agentId, dealId }))
  const { completions } = await tx.one(statements.standingOf(agentId, null))
  agentStats.writeTrust(tx, agentId, { completions })
}

/** The newest result of a suite has changed: the score is computed within seconds. */
export async function reevaluateCertifiedAgent(tx: Tx, agentId: string): Promise<void> {
  await tx.run(statements.requestEvaluation(agentId, tx.now))
}

/** Subscriber of `agent.trusted`: an admin raised its tier. */
export async function recordTrustedAgent(tx: Tx, { agent }: { agent: Agent }): Promise<void> {
  const change = changeOf(agent, { reason: 'REVIEW', dealId: null, tier: 'TRUSTED' })
  if (change)
    await tx.run(statements.insertHistory({ ...change, id: newId(), agentId: agent.id, at: tx.now }))
}

/** Subscriber of `agent.keys_revoked`: who took a key might have taken a passport. */
export async function revokePassportsOfRevokedAgent(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await tx.run(statements.setPassportsRevoked(agentId, tx.now))
}
