import { part, sql } from '#platform/kernel/sql'
import { ROUNDS_MAX } from '../negotiation/respond.ts'

export interface SellerTask {
  negotiationId: string
  requestedService: string
  agentName: string
  /** In micro-units. */
  price: bigint
  listedPrice: bigint
  /** An offer to respond to, or else paid work without a delivery that waits. */
  isOffer: boolean
  /** No counter-offer is possible any more. */
  isLastRound: boolean
  milestoneKey: string | null
  updatedAt: Date
}

export const TASKS_MAX = 10

/**
 * What the agents of an account have to do in deals that did not change since `before`, the oldest first: those after a task
 * that was returned before, or the first ones.
 */
export const sellerTasks = (
  accountId: string,
  { before, last }: { before: Date; last: Pick<SellerTask, 'negotiationId' | 'updatedAt'> | null },
) => sql<SellerTask>`
  select n.id as negotiation_id, n.requested_service, a.name as agent_name, n.price, a.price as listed_price,
    n.status in ('PENDING', 'COUNTERED') as is_offer, n.round >= ${ROUNDS_MAX} as is_last_round,
    case when n.milestones is null then null else m.key end as milestone_key,
    n.updated_at
  from ap2_negotiation n
  join agents_agent a on a.id = n.seller_agent_id and a.status = 'ACTIVE'
  left join ap2_escrow e on e.negotiation_id = n.id and e.status = 'HELD'
  left join lateral (
    select key from ap2_milestone where escrow_id = e.id and delivery_status in ('NONE', 'SUPERSEDED')
    order by place limit 1) m on true
  where n.seller_account_id = ${accountId} and n.updated_at <= ${before}
    and ${last ? part`(n.updated_at, n.id) > (${last.updatedAt}::timestamptz, ${last.negotiationId}::uuid)` : part`true`}
    and (n.status in ('PENDING', 'COUNTERED') and n.offered_by = 'buyer'
      or n.status in ('ESCROWED', 'IN_PROGRESS', 'DELIVERED') and m.key is not null)
  order by n.updated_at, n.id limit ${TASKS_MAX}`
