import type { Queryable, Tx } from '#platform/kernel/db'
import { isId } from '#platform/kernel/id'
import type { RequestContext } from '#platform/http/principal'
import { part, sql } from '#platform/kernel/sql'
import { readDeals, sidesOf, type Deal } from '../deal/deal.ts'
import type { DeliveryRow, NegotiationRow } from '../deal/rows.ts'
import * as statements from '../deal/sql.ts'
import type { Rules } from '../deal/tier.ts'
import { AP2 } from '../errors.ts'
import { initiate } from '../escrow/initiate.ts'
import { releaseEscrow } from '../escrow/release.ts'
import { cancelNegotiation } from '../negotiation/cancel.ts'
import { openHire } from '../negotiation/negotiation.ts'
import { requestChanges } from '../negotiation/request-changes.ts'
import { apiError } from '#platform/kernel/errors'

export { rulesOf, type Rules } from '../deal/tier.ts'
export { sellerTasks, TASKS_MAX, type SellerTask } from './seller.ts'
export { respond } from '../negotiation/respond.ts'
export { submitDelivery } from '../delivery/deliver.ts'

// A deal as a task of another protocol: hired, paid and followed by its buyer.

export interface WalletHire {
  agentId: string
  requesterAgentId?: string
  service: string
  amount: number | string
  currency: 'USD' | 'USDC'
  /** What the agent needs for the work. */
  input: unknown
  sourceWalletId?: string
}

/** Opens a deal and pays it into escrow from a wallet of the caller, in one transaction. Returns its id. */
export async function hireFromWallet(
  tx: Tx,
  ctx: RequestContext,
  { agentId, requesterAgentId, service, amount, currency, input, sourceWalletId }: WalletHire,
  rules: Rules,
): Promise<string> {
  const offer = {
    responderAgentId: agentId,
    requesterAgentId,
    requestedService: service,
    budget: amount,
    currency,
    // Not the field itself: an acceptance rule is agreed in a negotiation.
    requirements: { input },
  }
  const { negotiation } = await openHire(tx, ctx, offer, rules)
  await initiate(tx, ctx, { negotiationId: negotiation.id, sourceWalletId }, rules)
  return negotiation.id
}

type Delivery = Pick<DeliveryRow, 'id' | 'attempt' | 'result' | 'deliverableUrl' | 'artifacts' | 'notes'>

/** What the buyer sees of the deal. */
export interface TaskDeal {
  negotiation: NegotiationRow
  escrow: Deal['escrow']
  /** The buyer took the order back before the work began. */
  isCanceled: boolean
  /** The newest delivery that was verified. */
  delivery: Delivery | null
  autoReleaseAt: Date | null
}

/** The deal, if the caller is its buyer; null for any other. */
export async function readTaskDeal(
  q: Queryable,
  ctx: RequestContext,
  negotiationId: string,
): Promise<TaskDeal | null> {
  const row = isId(negotiationId)
    ? await q.maybe(statements.negotiationBy(part`${negotiationId}::uuid`))
    : undefined
  const [deal] = row ? await readDeals(q, [row]) : []
  if (!deal || !sidesOf(ctx, deal).includes('buyer')) return null
  const verified = deal.deliveries.findLast(({ status }) => status === 'VERIFIED')
  const end = deal.history.findLast(line => line.subject === 'negotiation')
  return {
    negotiation: deal.negotiation,
    escrow: deal.escrow,
    isCanceled: end?.event === 'cancel',
    delivery: verified ? await q.one(statements.deliveryById(verified.id)) : null,
    autoReleaseAt: deal.milestones[0]?.autoReleaseAt ?? null,
  }
}

/** Changes with each transition of the deal, and with a dispute or a freeze, which only its escrow shows. */
export const taskVersion = (negotiationId: string) => sql<{ version: string }>`
  select concat_ws(' ', n.status, n.updated_at, e.status) as version
  from ap2_negotiation n left join ap2_escrow e on e.negotiation_id = n.id and e.status <> 'CANCELLED'
  where n.id = ${negotiationId}`

/** Takes the order back; 409 once the seller has started. */
export const cancelTask = async (tx: Tx, ctx: RequestContext, negotiationId: string): Promise<void> => {
  await cancelNegotiation(tx, ctx, { negotiationId })
}

/** Pays the seller what is delivered. */
export async function releaseTask(tx: Tx, ctx: RequestContext, deal: TaskDeal): Promise<void> {
  await releaseEscrow(tx, ctx, { escrowId: escrowIdOf(deal) })
}

/** Asks the seller to improve what is delivered. */
export async function changeTask(tx: Tx, ctx: RequestContext, deal: TaskDeal, reason: string): Promise<void> {
  await requestChanges(tx, ctx, escrowIdOf(deal), { reason })
}

function escrowIdOf({ escrow }: TaskDeal): string {
  if (!escrow) throw apiError(AP2.ESCROW_NOT_FOUND)
  return escrow.id
}
