import { agentsByIds, type Agent } from '#agents'
import type { Queryable } from '#platform/db'
import type { Situation } from './actions.ts'
import { staffOfDeals } from './organizations.ts'
import type { DeliverySummary, NegotiationRow, RoundRow } from './rows.ts'
import * as statements from './sql.ts'
import type { SubjectHistory } from './sql.ts'

/** Everything that answers show of a deal. */
export interface FullDeal extends Situation {
  rounds: RoundRow[]
  deliveries: DeliverySummary[]
  /** Deliveries with a screenshot. */
  screenshots: Set<string>
  history: (SubjectHistory & { subject: 'negotiation' | 'escrow' | 'delivery' })[]
}

/** The full deals of some negotiations, in their order, in a handful of statements. */
export async function fullDeals(q: Queryable, negotiations: readonly NegotiationRow[]): Promise<FullDeal[]> {
  const ids = negotiations.map(row => row.id)
  const escrows = await q.rows(statements.escrowsOf(ids))
  const escrowIds = escrows.map(row => row.id)
  const [milestones, disputes, deliveries] = escrowIds.length
    ? [
        await q.rows(statements.milestonesOf(escrowIds)),
        await q.rows(statements.disputesOf(escrowIds)),
        await q.rows(statements.deliveriesOf(escrowIds)),
      ] : [[], [], []]
  const rounds = await q.rows(statements.roundsOf(ids))
  const deliveryIds = deliveries.map(row => row.id)
  const screenshots = new Set(deliveryIds.length ? (await q.rows(statements.screenshotsAmong(deliveryIds))).map(row => row.delivery_id) : [])
  const history = [
    ...await historyOf(q, 'negotiation', ids), ...await historyOf(q, 'escrow', escrowIds),
    ...await historyOf(q, 'delivery', deliveryIds),
  ]
  const agents = await agentsOf(q, negotiations)
  const staff = await staffOfDeals(q, negotiations)
  return negotiations.map(negotiation => {
    const escrow = escrows.find(row => row.negotiation_id === negotiation.id) ?? null
    const own = <Row extends { escrow_id: string }>(rows: readonly Row[]) =>
      rows.filter(row => row.escrow_id === escrow?.id)
    const attempts = own(deliveries)
    const subjects = new Set([negotiation.id, escrow?.id, ...attempts.map(each => each.id)])
    const quarrels = own(disputes)
    return {
      negotiation, escrow, milestones: own(milestones), disputes: quarrels, deliveries: attempts, screenshots,
      dispute: quarrels.find(each => each.ended_at === null) ?? null,
      rounds: rounds.filter(row => row.negotiation_id === negotiation.id),
      buyerAgent: agents.get(negotiation.buyer_agent_id ?? '') ?? null,
      sellerAgent: agents.get(negotiation.seller_agent_id ?? '') ?? null, staff,
      history: history.filter(row => subjects.has(row.subject_id)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    }
  })
}

async function historyOf(q: Queryable, subject: 'negotiation' | 'escrow' | 'delivery', ids: readonly string[]) {
  if (!ids.length) return []
  return (await q.rows(statements.historiesOf(`ap2_${subject}`, ids))).map(row => ({ ...row, subject }))
}

async function agentsOf(q: Queryable, negotiations: readonly NegotiationRow[]): Promise<Map<string, Agent>> {
  const ids = new Set(negotiations.flatMap(row => [row.buyer_agent_id, row.seller_agent_id]).filter(id => id !== null))
  return new Map((await agentsByIds(q, [...ids])).map(agent => [agent.id, agent]))
}
