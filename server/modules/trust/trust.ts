import { lockAgent, reviewAgent, setTrust, visibleAgent, type Agent, type TrustTier } from '#agents'
import type { Db, Tx } from '#platform/db'
import { COMMON, fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { FORMULA, scoreOf } from './score.ts'
import * as statements from './sql.ts'

/** The score looks at this many outcomes at most, the newest first; older ones weigh next to nothing. */
const EVIDENCE_MAX = 1000
const SHOWN = 20

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
  disputed?: boolean
}

/** A deal of the seller `agentId` was completed: moves tier and score in this transaction, once per deal. */
export const recordCompletion = (tx: Tx, deal: DealEnd): Promise<void> => recordOutcome(tx, deal, 'COMPLETED')

/** The seller failed a deal that it had accepted or started: moves the score. Once per deal. */
export const recordFailure = (tx: Tx, deal: DealEnd): Promise<void> => recordOutcome(tx, deal, 'FAILED')

async function recordOutcome(tx: Tx, deal: DealEnd, outcome: 'COMPLETED' | 'FAILED'): Promise<void> {
  // The lock comes first: parallel completions of one agent count one after the other.
  const agent = await lockAgent(tx, deal.agentId)
  const { onTime = outcome === 'COMPLETED', disputed = false } = deal
  const written = await tx.run(statements.insertOutcome({ ...deal, onTime, disputed, outcome, at: tx.now }))
  if (written) await evaluate(tx, agent)
}

/** Follows `agent.claimed`: an agent with enough completions becomes VERIFIED by its claim. */
export async function reevaluate(tx: Tx, { agentId }: { agentId: string }): Promise<void> {
  await evaluate(tx, await lockAgent(tx, agentId))
}

async function evaluate(tx: Tx, agent: Agent): Promise<void> {
  const { completions, forTier } = await tx.one(statements.countCompletions(agent.id))
  const { score } = scoreOf(await tx.rows(statements.countedOutcomes(agent.id, EVIDENCE_MAX)), tx.now)
  await setTrust(tx, agent.id, { tier: tierOf(agent, forTier), score, completions })
}

const TIERS: readonly TrustTier[] = ['UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED']

/** 3 completions: BASIC; 10 and a claim: VERIFIED. A tier once reached stays; TRUSTED is a reviewer's word alone. */
export function tierOf(agent: Pick<Agent, 'trustTier' | 'claimedById'>, completions: number): TrustTier {
  const earned = completions >= 10 && agent.claimedById ? 'VERIFIED' : completions >= 3 ? 'BASIC' : 'UNVERIFIED'
  return TIERS.indexOf(earned) > TIERS.indexOf(agent.trustTier) ? earned : agent.trustTier
}

export type Decision = 'APPROVED' | 'REJECTED' | 'NEEDS_WORK' | 'TRUSTED'
const EVENTS = { APPROVED: 'approve', REJECTED: 'reject', NEEDS_WORK: 'send_back' } as const

/** A reviewer's decision on a submitted agent; TRUSTED raises the tier and is for VERIFIED agents only, else 409. */
export async function review(
  tx: Tx,
  actor: Actor,
  id: string,
  { decision, notes }: { decision: Decision; notes?: string },
): Promise<Agent> {
  if (decision !== 'TRUSTED') return reviewAgent(tx, actor, id, { event: EVENTS[decision], notes })
  const agent = await lockAgent(tx, id)
  if (agent.trustTier !== 'VERIFIED')
    throw fault(
      { ...COMMON.STATE_CONFLICT, message: `Cannot trust while ${agent.trustTier}` },
      { hint: 'Only a VERIFIED agent can become TRUSTED' },
    )
  await setTrust(tx, id, { tier: 'TRUSTED', score: agent.trustScore })
  return { ...agent, trustTier: 'TRUSTED' }
}

/** The score as of now with what it rests on. Counterparties are not named. */
export async function trustReport(db: Db, actor: Actor | null, agentId: string, now: Date) {
  const agent = await visibleAgent(db, actor, { id: agentId })
  const outcomes = await db.rows(statements.countedOutcomes(agent.id, EVIDENCE_MAX))
  const transactions = outcomes
    .slice(0, SHOWN)
    .map(({ dealId, outcome, onTime, disputed, test, at }) => ({
      dealId,
      outcome,
      onTime,
      disputed,
      test,
      at: at.toISOString(),
    }))
  return { agentId: agent.id, tier: agent.trustTier, formula: FORMULA, ...scoreOf(outcomes, now), transactions }
}
