import { serviceAccounts } from '#identity'
import { requireApprovalByOwner, requireSpending, SPENDING } from '#spending'
import type { Principal, RequestContext } from '#platform/http/principal'
import type { Tx } from '#platform/kernel/db'
import { requireWithin } from '#platform/kernel/limit'
import type { Deal } from './deal.ts'
import type { Side } from './rows.ts'
import { paidByKeysOf } from './sql.ts'

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

/**
 * 403 if the payment exceeds what the spending limit of the caller's key leaves. The limit stays locked until the end of the
 * transaction, which writes the escrow: parallel payments cannot exceed it together.
 */
export async function requireWithinKeyLimit(tx: Tx, principal: Principal, amount: bigint): Promise<void> {
  if (principal.via !== 'account-key' || !principal.hasSpendingLimit || !principal.serviceAccountId) return
  const { spendingLimit } = await tx.one(serviceAccounts.lockSpendingLimit(principal.serviceAccountId))
  // By a statement of its own after the lock, so that it sees what the last holder of the lock paid.
  const { paid } = await tx.one(paidByKeysOf(principal.serviceAccountId))
  requireWithin(SPENDING.KEY_LIMIT_EXCEEDED, amount, { limit: spendingLimit, used: paid })
}
