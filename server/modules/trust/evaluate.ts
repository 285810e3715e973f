import { agentStats, lockAgentIfAny, type Agent } from '#agents'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { readCertificates } from './ports.ts'
import { returnedShares, type Payment } from './return-flow.ts'
import { scoreOf } from './score.ts'
import * as statements from './sql.ts'
import { tierOf } from './tier.ts'
import { changeOf } from './trust.ts'

/** The score looks at this many outcomes at most, the newest first; older ones weigh next to nothing. */
export const EVIDENCE_MAX = 1000
/** An agent without new deals is evaluated again, because its evidence ages. */
const AGES_FOR = 30 * DAY

/** Money is followed through this many deals, so circles of up to twelve accounts are found. */
const HOPS = 11
/** Bounds of the search: accounts, and the newest deals of each. */
const ACCOUNTS_MAX = 200
const DEALS_MAX = 100

/** Timer: deals of the agent have ended, or its evidence has aged. Computes its score. */
export async function evaluateAgent(tx: Tx, agentId: string): Promise<void> {
  const agent = await lockAgentIfAny(tx, agentId)
  const due = await tx.maybe(statements.dueEvaluation(agentId, tx.now))
  if (!agent || !due?.isDue) return
  const outcomes = await tx.rows(statements.countedOutcomes(agentId, EVIDENCE_MAX))
  const returned = await returnedTo(tx, agent)
  const certificates = await readCertificates(tx, agentId)
  const { score } = scoreOf(outcomes, tx.now, { returned, certificates })
  const tier = tierOf(agent, due.forTier)
  const change = changeOf(agent, { reason: due.reason ?? 'AGE', dealId: due.dealId, score, tier })
  if (change) await tx.run(statements.insertHistory({ ...change, id: newId(), agentId, at: tx.now }))
  if (change || agent.completions !== due.completions)
    agentStats.writeTrust(tx, agentId, { score, tier, completions: due.completions })
  const next =
    score > 0 || returned.size
      ? earliest([after(tx.now, AGES_FOR), ...certificates.map(({ expiresAt }) => expiresAt)])
      : null
  await tx.run(statements.setEvaluated(agentId, { returned, now: tx.now, next }))
}

const earliest = (dates: readonly Date[]): Date => new Date(Math.min(...dates.map(date => date.getTime())))

/** Which share of what each counterparty paid to the owner of an agent came back to it by a chain of deals. */
async function returnedTo(tx: Tx, { ownerId }: Agent): Promise<Map<string, number>> {
  const payments: Payment[] = []
  const reached = new Set([ownerId])
  let newest = [ownerId]
  for (let hop = 0; hop < HOPS && newest.length; hop++) {
    const found: Payment[] = await tx.rows(statements.paymentsBy(newest, DEALS_MAX, tx.now))
    payments.push(...found.filter(({ payee }) => payee !== ownerId))
    newest = [...new Set(found.map(({ payee }) => payee))]
      .filter(payee => !reached.has(payee))
      .slice(0, Math.max(0, ACCOUNTS_MAX - reached.size))
    for (const payee of newest) reached.add(payee)
  }
  reached.delete(ownerId)
  if (!reached.size) return new Map()
  const paid = await tx.rows(statements.paymentsTo(ownerId, [...reached], EVIDENCE_MAX, tx.now))
  return returnedShares(ownerId, [...payments, ...paid])
}

/** The shares as of the last evaluation. */
export async function readReturned(q: Queryable, agentId: string): Promise<Map<string, number>> {
  const row = await q.maybe(statements.returnedTo(agentId))
  return new Map(Object.entries(row?.returned ?? {}))
}
