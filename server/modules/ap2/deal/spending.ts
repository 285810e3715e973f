import { requireApprovalByOwner, requireSpending } from '#spending'
import type { RequestContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import type { Deal } from './deal.ts'
import type { Side } from './rows.ts'

/**
 * Applies budget and autonomy policy of the agent of a side: 403 with the limit that does not allow the step, and 403
 * `Approval required` where a key or the creator would commit the agent above its threshold. Reads nothing for an agent
 * without limits.
 */
export async function requireAllowed(
  tx: Tx,
  ctx: RequestContext,
  { negotiation, buyerAgent, sellerAgent, limitedSides }: Deal,
  { side, action }: { side: Side; action: 'negotiate' | 'accept' | 'fund' },
): Promise<void> {
  const agent = side === 'buyer' ? buyerAgent : sellerAgent
  if (!agent || !limitedSides.has(side)) return
  const buys = side === 'buyer'
  const approval = await requireSpending(tx, {
    agentId: agent.id,
    amount: negotiation.price,
    action: buys ? action : 'sell',
    counterpartyAgentId: buys ? negotiation.sellerAgentId : negotiation.buyerAgentId,
    counterpartyAccountId: buys ? negotiation.sellerAccountId : negotiation.buyerAccountId,
  })
  if (action !== 'negotiate') requireApprovalByOwner(ctx, agent, approval)
}
