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
  lines: ({
    subject: DealLine['subject']
    event: string
    to: string
    by: string
    at: string
    /** Of a delivery that was verified, if some of its criteria could not be checked. */
    unchecked?: { of: number; count: number }
    /** Of a freeze and of its end: the reason, such as `chargeback:du_1`. */
    reason?: string
  } & MovedMoney)[]
}

/** Of a line by which money left the escrow. Decimal; without what is zero. */
interface MovedMoney {
  /** What the seller was paid, before the fee. */
  toSeller?: string
  /** What went back to the buyer; of a chargeback, what the bank took back. */
  toBuyer?: string
  /** The part of `toBuyer` that goes to the card. */
  toCard?: string
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
      ...(subject === 'escrow' ? movedIn(event, details) : {}),
      ...(subject === 'escrow' && typeof details.reason === 'string' && event.endsWith('freeze')
        ? { reason: details.reason }
        : {}),
      ...(typeof details.unchecked === 'number' && typeof details.criteria === 'number'
        ? { unchecked: { of: details.criteria, count: details.unchecked } }
        : {}),
    })),
  }
}

/** Where a line without a decision sends its `amount`. */
const GOES_TO: Readonly<Record<string, keyof MovedMoney>> = {
  release: 'toSeller',
  refund: 'toBuyer',
  cancel: 'toBuyer',
  charge_back: 'toBuyer',
}

/** A release or a refund by a party or a timer notes its amount, a decision the shares of both. */
function movedIn(event: string, details: DealLine['details']): MovedMoney {
  const to = GOES_TO[event]
  const { toSeller, toBuyer, toCard }: DealLine['details'] = {
    ...(to === undefined ? {} : { [to]: details.amount }),
    ...details,
  }
  return {
    ...(isMoved(toSeller) ? { toSeller } : {}),
    ...(isMoved(toBuyer) ? { toBuyer } : {}),
    ...(isMoved(toCard) ? { toCard } : {}),
  }
}

const isMoved = (amount: unknown): amount is string => typeof amount === 'string' && Number(amount) > 0

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
