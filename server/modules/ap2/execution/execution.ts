import type { Agent } from '#agents'
import { requireSpending } from '#spending'
import { cryptoWallets, requireOwnWallet, requireReceivingWallet, type Wallet } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { boundOrganization, type RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { writeTogether } from '#platform/kernel/sql'
import { lockFunded, type FundedDeal } from '../deal/deal.ts'
import { changesOf, DealDraft } from '../deal/plan.ts'
import { heldOf, type DeliveryRow } from '../deal/rows.ts'
import type { Rules } from '../deal/tier.ts'
import { planVerdict } from '../delivery/verdict.ts'
import { openPaidDeal } from '../escrow/direct.ts'
import type { Held } from '../escrow/funding.ts'
import { holdPayment } from '../escrow/initiate.ts'
import { settle } from '../escrow/settle.ts'

/** The deal behind a run, locked. The run alone pays or refunds it. */
export type RunDeal = FundedDeal

export interface RunOrder {
  agent: Agent
  buyerAgent: Agent | null
  sourceWalletId: string | undefined
  amount: bigint
  runId: string
}

/**
 * Holds the price of a run in escrow. The wallet that pays is the named one, else the default wallet of the buying agent, the
 * organization of the key or the account. ApiError 400 `Insufficient balance`, and those of every payment into escrow.
 * `approval` says that the owner of the buying agent must approve the run.
 */
export async function holdForRun(
  tx: Tx,
  ctx: RequestContext,
  order: RunOrder,
  rules: Rules,
): Promise<{ held: Held; approval: boolean }> {
  const { agent, amount, runId } = order
  const source = await payingWallet(tx, ctx, order)
  const own = await requireReceivingWallet(tx, agent.walletId)
  const destination =
    own.currency === agent.priceCurrency
      ? own
      : await cryptoWallets.openWallet(
          tx,
          { ownerType: 'AGENT', ownerId: agent.id, accountId: agent.ownerId },
          agent.priceCurrency,
        )
  const payment = await openPaidDeal(tx, ctx, {
    source,
    destination,
    buyerAgent: order.buyerAgent,
    sellerAgent: agent,
    price: amount,
    currency: agent.priceCurrency,
    // Without the name of the agent, which is the text of its owner.
    requestedService: 'Run of an agent',
    isRun: true,
  })
  const input = { purpose: 'EXECUTION', metadata: { runId } }
  // After the locks of the agents, as for every payment.
  const { approval } = await requireRunAllowed(tx, order)
  return { held: await holdPayment(tx, ctx, payment, { input, rules }), approval }
}

/** Applies budget and autonomy policy of the buying agent: 403 with the limit that does not allow the run. */
export const requireRunAllowed = async (
  tx: Tx,
  { agent, buyerAgent, amount }: Pick<RunOrder, 'agent' | 'buyerAgent' | 'amount'>,
): Promise<{ approval: boolean }> =>
  buyerAgent
    ? requireSpending(tx, {
        agentId: buyerAgent.id,
        amount,
        action: 'execute',
        counterpartyAgentId: agent.id,
        counterpartyAccountId: agent.ownerId,
      })
    : { approval: false }

async function payingWallet(
  tx: Tx,
  ctx: RequestContext,
  { agent, buyerAgent, sourceWalletId }: RunOrder,
): Promise<Wallet> {
  if (sourceWalletId !== undefined) return requireOwnWallet(tx, ctx, sourceWalletId)
  const { accountId } = ctx.principal
  const organizationId = boundOrganization(ctx.principal)
  const owner = buyerAgent
    ? ({ ownerType: 'AGENT', ownerId: buyerAgent.id, accountId: buyerAgent.ownerId } as const)
    : organizationId
      ? ({ ownerType: 'ORGANIZATION', ownerId: organizationId, accountId: organizationId } as const)
      : ({ ownerType: 'USER', ownerId: accountId, accountId } as const)
  return requireOwnWallet(tx, ctx, await cryptoWallets.openWallet(tx, owner, agent.priceCurrency))
}

/** Locks the deal of a run: it comes before the run in the order of locks (ADR 2). */
export const lockRunDeal = (tx: Tx, escrowId: string): Promise<RunDeal> => lockFunded(tx, escrowId)

/** The agent has taken the run: from now on its silence counts against it. */
export function startRunDeal(tx: Tx, deal: RunDeal, agentId: string): void {
  if (deal.negotiation.status !== 'ESCROWED') return
  const draft = new DealDraft(deal, tx.now)
  draft.moveNegotiation({ event: 'start', by: 'seller', actorId: agentId })
  tx.write(writeTogether(changesOf(draft)))
}

/** Pays a run that succeeded: its result counts as a verified delivery. False while the escrow is frozen. */
export async function payRun(tx: Tx, deal: RunDeal, run: { id: string; agentId: string }): Promise<boolean> {
  if (deal.escrow.status !== 'HELD') return false
  const draft = new DealDraft(deal, tx.now)
  const actorId = run.agentId
  if (deal.negotiation.status === 'ESCROWED') draft.moveNegotiation({ event: 'start', by: 'seller', actorId })
  const row = deliveryOf(deal, run, tx.now)
  draft.addDelivery(row)
  draft.setMilestone(row.milestoneId, { deliveryStatus: 'VERIFYING' })
  const verifying = draft.moveDelivery(row, { event: 'verify', by: 'verifier', set: { tries: 1 } })
  planVerdict(draft, verifying, {
    ok: true,
    code: 'ok',
    reason: 'the output of the run fits the agreed schema',
    verifier: 'schema',
  })
  const toSeller = heldOf(deal.escrow)
  await settle(
    tx,
    draft.fundedDeal,
    {
      event: 'release',
      by: 'timer',
      toSeller,
      details: { amount: formatMoney(toSeller), code: 'run_succeeded', reason: 'the run succeeded' },
    },
    { draft },
  )
  return true
}

function deliveryOf(deal: RunDeal, run: { id: string; agentId: string }, now: Date): DeliveryRow {
  const [milestone] = deal.milestones
  if (!milestone) throw new Error('an escrow has a milestone')
  return {
    id: newId(),
    negotiationId: deal.negotiation.id,
    escrowId: deal.escrow.id,
    milestoneId: milestone.id,
    attempt: deal.deliveries.length + 1,
    status: 'SUBMITTED',
    actorId: run.agentId,
    // The output stays with the run.
    result: { runId: run.id },
    deliverableUrl: null,
    artifacts: null,
    evidence: null,
    notes: null,
    hints: null,
    report: null,
    criteria: null,
    checkingSince: null,
    tries: 0,
    verifyAgainAt: now,
    createdAt: now,
    updatedAt: now,
  }
}

/** Returns the money of a run that did not succeed. False while the escrow is frozen. */
export async function refundRun(
  tx: Tx,
  deal: RunDeal,
  { code, reason, sellerFailed }: { code: string; reason: string; sellerFailed: boolean },
): Promise<boolean> {
  if (deal.escrow.status !== 'HELD') return false
  const toBuyer = heldOf(deal.escrow)
  await settle(tx, deal, {
    event: 'refund',
    by: 'timer',
    toBuyer,
    sellerFailed,
    details: { amount: formatMoney(toBuyer), code, reason },
  })
  return true
}
