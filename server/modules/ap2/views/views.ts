import type { AgentSummary } from '#agents'
import { formatMoney, moneyNumber } from '#platform/kernel/money'
import type { Journal } from '#ledger'
import type { Asset, Leg } from '#platform/kernel/money'
import { criterionView } from '../criteria/criterion.ts'
import { splitByCriteria } from '../criteria/weights.ts'
import type { Action } from './actions.ts'
import { awaitingBuyer, type Deal, type FundedDeal } from '../deal/deal.ts'
import { PHASES } from '../deal/negotiation-machine.ts'
import {
  heldOf,
  type DeliveryRow,
  type DeliverySummary,
  type DisputeRow,
  type MilestoneRow,
  type RoundRow,
} from '../deal/rows.ts'
import { unavailableAgentOf } from './unavailable.ts'

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null

/** A negotiation for a caller who may take `actions`. */
export function negotiationView(deal: Deal, actions: readonly Action[]) {
  const { negotiation: row, escrow } = deal
  const counter = deal.rounds.findLast(round => round.action === 'COUNTERED')
  return {
    id: row.id,
    status: row.status,
    phase: PHASES[row.status],
    requesterAgent: agentView(deal.buyerAgent),
    responderAgent: agentView(deal.sellerAgent),
    buyerId: row.buyerAccountId,
    buyerOrganizationId: row.buyerOrganizationId ?? undefined,
    requestedService: row.requestedService,
    proposedBudget: moneyNumber(row.budget),
    price: moneyNumber(row.price),
    currency: row.currency,
    requirements: row.requirements,
    acceptance: (row.acceptance ?? []).map(criterionView),
    notes: row.notes,
    deliverBy: iso(row.deliverBy),
    autoReleaseDays: row.autoReleaseDays,
    round: row.round,
    milestones: (row.milestones ?? []).map(({ key, title, amount }) => ({
      key,
      title,
      amount: formatMoney(BigInt(amount)),
    })),
    counter: counter ? roundView(counter) : null,
    rounds: deal.rounds.map(roundView),
    escrowId: escrow?.id ?? null,
    escrow: escrow ? escrowView({ ...deal, escrow }, actions) : null,
    selfDeal: row.selfDeal,
    verificationStatus: deliveryStatusOf(deal.milestones),
    allowedActions: [...actions],
    unavailableAgent: unavailableAgentOf(deal),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    expiresAt: iso(row.expiresAt ?? row.fundBy),
  }
}

export const agentView = (agent: AgentSummary | null) =>
  agent && {
    id: agent.id,
    slug: agent.slug,
    name: agent.name,
    trustTier: agent.trustTier,
  }

const roundView = (row: RoundRow) => ({
  round: row.round,
  action: row.action,
  by: row.side,
  price: moneyNumber(row.price),
  terms: row.terms,
  notes: row.notes,
  estimatedDelivery: row.estimatedDelivery,
  at: row.at.toISOString(),
})

/** An escrow as api.md writes it. */
export function escrowView(deal: FundedDeal, actions: readonly Action[]) {
  const { escrow, negotiation, milestones } = deal
  const running = escrow.status === 'HELD'
  return {
    id: escrow.id,
    negotiationId: escrow.negotiationId,
    buyerWalletId: escrow.buyerWalletId,
    sellerWalletId: escrow.sellerWalletId,
    amount: formatMoney(escrow.amount),
    released: formatMoney(escrow.released),
    refunded: formatMoney(escrow.refunded),
    held: formatMoney(heldOf(escrow)),
    fee: formatMoney(escrow.fees),
    currency: escrow.currency,
    test: escrow.test,
    status: escrow.status,
    originalStatus: escrow.originalStatus,
    freezes: escrow.freezes,
    feeBps: escrow.feeBps,
    deliveryStatus: deliveryStatusOf(milestones),
    autoReleaseAt: running ? iso(earliest(awaitingBuyer(milestones).map(each => each.autoReleaseAt))) : null,
    deliverBy: escrow.deliverBy.toISOString(),
    changesRequested: escrow.changesRequested,
    changeRequest: changeRequestOf(deal),
    purpose: escrow.purpose,
    memo: escrow.memo,
    metadata: escrow.metadata,
    milestones: negotiation.milestones ? milestones.map(each => milestoneView(each, running)) : [],
    deliveries: deal.deliveries.map(row => deliverySummary(deal, row)),
    dispute: disputeView(deal),
    allowedActions: [...actions],
    timeline: timelineOf(deal),
    createdAt: escrow.createdAt.toISOString(),
    endedAt: iso(escrow.endedAt),
  }
}

const earliest = (moments: readonly (Date | null)[]): Date | null =>
  moments.reduce((first, each) => (each && (!first || each < first) ? each : first), null)

/** Of all that is still open: what waits for the verifier or the buyer counts first. */
export function deliveryStatusOf(milestones: readonly MilestoneRow[]): MilestoneRow['deliveryStatus'] {
  const open = milestones.filter(each => each.released < each.amount)
  const statuses = new Set((open.length ? open : milestones).map(each => each.deliveryStatus))
  return (
    (['VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED'] as const).find(status => statuses.has(status)) ??
    'NONE'
  )
}

const milestoneView = (row: MilestoneRow, isRunning: boolean) => ({
  key: row.key,
  title: row.title,
  amount: formatMoney(row.amount),
  released: formatMoney(row.released),
  deliveryStatus: row.deliveryStatus,
  verifiedAt: iso(row.verifiedAt),
  autoReleaseAt: isRunning ? iso(row.autoReleaseAt) : null,
})

type Attempts = Pick<Deal, 'milestones' | 'negotiation' | 'deliveries'>

function deliverySummary(
  { milestones, negotiation, deliveries }: Attempts,
  row: Omit<DeliverySummary, 'hasScreenshot'>,
) {
  const milestone = negotiation.milestones ? milestones.find(each => each.id === row.milestoneId) : undefined
  const url = `/payments/escrow/${row.escrowId}/deliveries/${row.id}`
  return {
    id: row.id,
    escrowId: row.escrowId,
    milestoneKey: milestone?.key ?? null,
    attempt: row.attempt,
    status: row.status,
    deliverableUrl: row.deliverableUrl,
    report: row.report,
    criteria: row.criteria ?? [],
    url,
    screenshotUrl: deliveries.some(({ id, hasScreenshot }) => id === row.id && hasScreenshot)
      ? `${url}/screenshot`
      : null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** A delivery with all that was delivered. */
export const deliveryView = (deal: Attempts, row: DeliveryRow) => ({
  ...deliverySummary(deal, row),
  negotiationId: row.negotiationId,
  result: row.result,
  artifacts: row.artifacts ?? [],
  evidence: row.evidence,
  notes: row.notes,
})

/** Why the buyer sent the last delivery back. */
function changeRequestOf({ history }: Deal) {
  const row = history.findLast(({ subject, event }) => subject === 'delivery' && event === 'supersede')
  if (!row) return null
  const { reason, criteria } = row.details
  return {
    at: row.at.toISOString(),
    reason: typeof reason === 'string' ? reason : null,
    criteria: Array.isArray(criteria) ? criteria.map(String) : [],
  }
}

function disputeView({ disputes, escrow, negotiation }: Deal) {
  const row: DisputeRow | undefined = disputes.at(-1)
  return row
    ? {
        id: row.id,
        openedBy: row.openedBy,
        asks: row.asks,
        sellerBps: row.sellerBps,
        reason: row.reason,
        evidence: row.evidence,
        answer: row.answer,
        openedAt: row.openedAt.toISOString(),
        answeredAt: iso(row.answeredAt),
        answerBy: iso(row.endedAt ? null : (escrow?.answerBy ?? null)),
        lapsesAt: iso(row.endedAt ? null : (escrow?.lapsesAt ?? null)),
        endedAt: iso(row.endedAt),
        outcome: row.outcome,
        criteria: row.criteria ?? [],
        proposedSplit:
          row.criteria && negotiation.acceptance
            ? splitByCriteria(negotiation.acceptance, row.criteria)
            : null,
      }
    : null
}

/** What happened to the deal, oldest first. */
export const timelineOf = (deal: Pick<Deal, 'history'>) =>
  deal.history.map(row => ({
    at: row.at.toISOString(),
    subject: row.subject,
    event: row.event,
    from: row.fromStatus || null,
    to: row.toStatus,
    actor: row.actor,
    details: row.details,
  }))

/** The journal of one command, with its legs. */
export const transactionView = (
  journal: Pick<Journal, 'id' | 'kind' | 'at' | 'memo'>,
  legs: readonly Leg[],
  of: { amount: bigint; currency: Asset },
) => ({
  id: journal.id,
  kind: journal.kind,
  amount: formatMoney(of.amount),
  currency: of.currency,
  at: journal.at.toISOString(),
  memo: journal.memo,
  legs: legs.map(leg => ({
    debit: leg.debit,
    credit: leg.credit,
    amount: formatMoney(leg.amount),
    currency: leg.asset,
  })),
})
