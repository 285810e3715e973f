import type { Agent } from '#agents'
import { formatMoney, moneyNumber } from '#platform/money'
import type { Journal } from '#ledger'
import type { Asset, Leg } from '#platform/money'
import type { Action } from './actions.ts'
import { standing } from './deal.ts'
import { PHASES } from './negotiation-machine.ts'
import {
  heldOf, type DeliveryRow, type DeliverySummary, type DisputeRow, type EscrowRow, type MilestoneRow, type RoundRow,
} from './rows.ts'
import type { FullDeal } from './situations.ts'

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null

/** A negotiation for a caller who may take `actions`. */
export function negotiationView(deal: FullDeal, actions: readonly Action[]) {
  const { negotiation: row, escrow } = deal
  const counter = deal.rounds.findLast(round => round.action === 'COUNTERED')
  return {
    id: row.id, status: row.status, phase: PHASES[row.status],
    requesterAgent: agentView(deal.buyerAgent), responderAgent: agentView(deal.sellerAgent),
    buyerId: row.buyer_account_id, buyerOrganizationId: row.buyer_organization_id ?? undefined,
    requestedService: row.requested_service, proposedBudget: moneyNumber(row.budget), price: moneyNumber(row.price),
    currency: row.currency,
    requirements: row.requirements, notes: row.notes, deliverBy: iso(row.deliver_by),
    autoReleaseDays: row.auto_release_days, round: row.round,
    milestones: (row.milestones ?? []).map(({ key, title, amount }) => ({
      key, title, amount: formatMoney(BigInt(amount)),
    })),
    counter: counter ? roundView(counter) : null, rounds: deal.rounds.map(roundView),
    escrowId: escrow?.id ?? null, escrow: escrow ? escrowView({ ...deal, escrow }, actions) : null,
    selfDeal: row.self_deal, verificationStatus: deliveryStatusOf(deal.milestones),
    allowedActions: [...actions], createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString(),
    expiresAt: iso(row.expires_at ?? row.fund_by),
  }
}

const agentView = (agent: Agent | null) => agent && {
  id: agent.id, slug: agent.slug, name: agent.name, trustTier: agent.trustTier,
}

const roundView = (row: RoundRow) => ({
  round: row.round, action: row.action, by: row.side, price: moneyNumber(row.price), terms: row.terms, notes: row.notes,
  estimatedDelivery: row.estimated_delivery, at: row.at.toISOString(),
})

/** An escrow as api.md writes it. */
export function escrowView(deal: FullDeal & { escrow: EscrowRow }, actions: readonly Action[]) {
  const { escrow, negotiation, milestones } = deal
  const running = escrow.status === 'HELD'
  return {
    id: escrow.id, negotiationId: escrow.negotiation_id, buyerWalletId: escrow.buyer_wallet_id,
    sellerWalletId: escrow.seller_wallet_id,
    amount: formatMoney(escrow.amount), released: formatMoney(escrow.released), refunded: formatMoney(escrow.refunded),
    held: formatMoney(heldOf(escrow)),
    fee: formatMoney(escrow.fees), currency: escrow.currency, test: escrow.test, status: escrow.status,
    originalStatus: escrow.original_status,
    freezes: escrow.freezes, feeBps: escrow.fee_bps, deliveryStatus: deliveryStatusOf(milestones),
    autoReleaseAt: running ? iso(earliest(standing(milestones).map(each => each.auto_release_at))) : null,
    deliverBy: escrow.deliver_by.toISOString(),
    changesRequested: escrow.changes_requested, purpose: escrow.purpose, memo: escrow.memo, metadata: escrow.metadata,
    milestones: negotiation.milestones ? milestones.map(milestoneView) : [],
    deliveries: deal.deliveries.map(row => deliverySummary(deal, row)),
    dispute: disputeView(deal), allowedActions: [...actions], timeline: timelineOf(deal),
    createdAt: escrow.created_at.toISOString(), endedAt: iso(escrow.ended_at),
  }
}

const earliest = (moments: readonly (Date | null)[]): Date | null =>
  moments.reduce((first, each) => (each && (!first || each < first) ? each : first), null)

/** Of all that is still open: what waits for the verifier or the buyer counts first. */
export function deliveryStatusOf(milestones: readonly MilestoneRow[]): MilestoneRow['delivery_status'] {
  const open = milestones.filter(each => each.released < each.amount)
  const statuses = new Set((open.length ? open : milestones).map(each => each.delivery_status))
  return (['VERIFYING', 'VERIFIED', 'FAILED', 'SUPERSEDED'] as const).find(status => statuses.has(status)) ?? 'NONE'
}

const milestoneView = (row: MilestoneRow) => ({
  key: row.key, title: row.title, amount: formatMoney(row.amount), released: formatMoney(row.released),
  deliveryStatus: row.delivery_status,
  verifiedAt: iso(row.verified_at), autoReleaseAt: iso(row.auto_release_at),
})

type Attempts = Pick<FullDeal, 'milestones' | 'negotiation' | 'screenshots'>

function deliverySummary({ milestones, negotiation, screenshots }: Attempts, row: DeliverySummary) {
  const milestone = negotiation.milestones ? milestones.find(each => each.id === row.milestone_id) : undefined
  const url = `/payments/escrow/${row.escrow_id}/deliveries/${row.id}`
  return {
    id: row.id, escrowId: row.escrow_id, milestoneKey: milestone?.key ?? null, attempt: row.attempt, status: row.status,
    deliverableUrl: row.deliverable_url, report: row.report, url,
    screenshotUrl: screenshots.has(row.id) ? `${url}/screenshot` : null,
    createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString(),
  }
}

/** A delivery with all that was delivered. */
export const deliveryView = (deal: Attempts, row: DeliveryRow) => ({
  ...deliverySummary(deal, row), negotiationId: row.negotiation_id,
  result: row.result, artifacts: row.artifacts ?? [], evidence: row.evidence, notes: row.notes,
})

function disputeView({ disputes, escrow }: FullDeal) {
  const row: DisputeRow | undefined = disputes.at(-1)
  return row ? {
    id: row.id, openedBy: row.opened_by, asks: row.asks, sellerBps: row.seller_bps, reason: row.reason,
    evidence: row.evidence, answer: row.answer,
    openedAt: row.opened_at.toISOString(), answeredAt: iso(row.answered_at),
    answerBy: iso(row.ended_at ? null : escrow?.answer_by ?? null),
    lapsesAt: iso(row.ended_at ? null : escrow?.lapses_at ?? null), endedAt: iso(row.ended_at), outcome: row.outcome,
  } : null
}

/** What happened to the deal, oldest first. */
export const timelineOf = (deal: FullDeal) => deal.history.map(row => ({
  at: row.at.toISOString(), subject: row.subject, event: row.event, from: row.from_status || null, to: row.to_status,
  actor: row.actor, details: row.details,
}))

/** A journal of one act, with what it moved. */
export const transactionView = (journal: Journal, legs: readonly Leg[], of: { amount: bigint; currency: Asset }) => ({
  id: journal.id, kind: journal.kind, amount: formatMoney(of.amount), currency: of.currency,
  at: journal.at.toISOString(), memo: journal.memo,
  legs: legs.map(leg => ({
    debit: leg.debit, credit: leg.credit, amount: formatMoney(leg.amount), currency: leg.asset,
  })),
})
