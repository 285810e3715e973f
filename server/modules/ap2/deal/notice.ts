import { formatMoney, type Asset } from '#platform/kernel/money'
import type { Tx } from '#platform/kernel/db'
import { part } from '#platform/kernel/sql'
import { lockDealIfAny, type Deal } from './deal.ts'
import type { DealLine } from './parts.ts'

export const DEAL_TOPIC = 'ap2.deal'

/** What a command changed in a deal, for those who notify the parties. Contains no text of a party. */
export interface DealNotice {
  negotiationId: string
  escrowId: string | null
  status: string
  escrowStatus: string | null
  /** Decimal. */
  price: string
  currency: Asset
  test: boolean
  /** ISO 8601; of the escrow. */
  deliverBy: string | null
  /** Of a negotiation that expired: who waited, for an answer to the last offer or for the funds of an accepted one. */
  waited: { side: 'buyer' | 'seller'; for: 'answer' | 'funds' } | null
  buyer: NoticeParty
  seller: NoticeParty
  lines: {
    subject: DealLine['subject']
    event: string
    to: string
    by: string
    at: string
    /** Of a line by which money left the escrow: what the seller was paid, before the fee. Decimal. */
    toSeller?: string
  }[]
}

export interface NoticeParty {
  agentId: string | null
  accountId: string
  organizationId: string | null
}

export const noticeOf = (deal: Deal, lines: readonly DealLine[]): DealNotice => {
  const { negotiation, escrow } = deal
  return {
    negotiationId: negotiation.id,
    escrowId: escrow?.id ?? null,
    status: negotiation.status,
    escrowStatus: escrow?.status ?? null,
    price: formatMoney(negotiation.price),
    currency: negotiation.currency,
    test: escrow?.test ?? false,
    deliverBy: escrow?.deliverBy.toISOString() ?? null,
    waited: waitedIn(deal, lines),
    buyer: {
      agentId: negotiation.buyerAgentId,
      accountId: negotiation.buyerAccountId,
      organizationId: negotiation.buyerOrganizationId,
    },
    seller: {
      agentId: negotiation.sellerAgentId,
      accountId: negotiation.sellerAccountId,
      organizationId: negotiation.sellerOrganizationId,
    },
    lines: lines.map(({ subject, event, toStatus, actor, at, details }) => ({
      subject,
      event,
      to: toStatus,
      by: actor,
      at: at.toISOString(),
      ...(subject === 'escrow' ? paidIn(event, details) : {}),
    })),
  }
}

/** A release by a party or a timer notes its amount, a decision the share of the seller. */
function paidIn(event: string, { amount, toSeller }: DealLine['details']): { toSeller?: string } {
  const paid = event === 'release' ? (toSeller ?? amount) : toSeller
  return typeof paid === 'string' ? { toSeller: paid } : {}
}

function waitedIn({ negotiation, rounds }: Deal, lines: readonly DealLine[]): DealNotice['waited'] {
  const expired = lines.find(({ subject, event }) => subject === 'negotiation' && event === 'expire')
  if (!expired) return null
  if (expired.fromStatus !== 'ACCEPTED') return { side: negotiation.offeredBy, for: 'answer' }
  // The seller of a hire accepted nothing: it waits for no funds.
  return rounds.some(({ action }) => action === 'ACCEPTED') ? { side: 'seller', for: 'funds' } : null
}

/** The state of a deal, locked; null for an unknown one. */
export async function lockDealNotice(tx: Tx, negotiationId: string): Promise<DealNotice | null> {
  const deal = await lockDealIfAny(tx, part`${negotiationId}::uuid`)
  return deal && noticeOf(deal, [])
}
