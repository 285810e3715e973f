import type { Negotiation } from '../../api/schema.d.ts'
import { dateTime, money } from '../../parts/format.ts'
import { t, type TextKey } from '../../texts/text.ts'

export type Side = 'buyer' | 'seller'
export type Deal = Negotiation
/** A deal whose money is held, or was. */
export type FundedDeal = Deal & { escrow: NonNullable<Deal['escrow']> }

export const isFunded = (deal: Deal): deal is FundedDeal => deal.escrow !== null

/** The state that people see: that of the escrow where it stops the deal. */
export const stateOf = ({ status, escrow }: Deal): string =>
  escrow && ['DISPUTED', 'FROZEN', 'PENDING_FUNDING'].includes(escrow.status) ? escrow.status : status

export const may = ({ allowedActions }: Deal, action: string): boolean => allowedActions.includes(action)

/** The name of the party at the other side. */
export function otherParty(deal: Deal, side: Side): string {
  if (side === 'buyer') return deal.responderAgent?.name ?? t('deal.seller')
  return deal.requesterAgent?.name ?? t('deal.buyer')
}

/** The same at the start of a line. */
export function otherPartyFirst(deal: Deal, side: Side): string {
  const name = otherParty(deal, side)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The other party in texts: within a sentence, at its start, and as an object, which has another form in German. */
export const otherValues = (
  deal: Deal,
  side: Side,
): { other: string; otherFirst: string; otherObject: string } => ({
  other: otherParty(deal, side),
  otherFirst: otherPartyFirst(deal, side),
  otherObject:
    side === 'buyer'
      ? (deal.responderAgent?.name ?? t('deal.seller.object'))
      : (deal.requesterAgent?.name ?? t('deal.buyer.object')),
})

export interface Next {
  title: string
  text: string
  /** Whether it is the turn of the person who looks at the page. */
  isYours: boolean
}

/** What happens next, and whose turn it is. */
export function nextOf(deal: Deal, side: Side): Next {
  const step = stepOf(deal, side)
  const values = {
    ...otherValues(deal, side),
    price: money(deal.price, deal.currency),
    held: money(deal.escrow?.held ?? 0, deal.currency),
    released: money(deal.escrow?.released ?? 0, deal.currency),
    refunded: money(deal.escrow?.refunded ?? 0, deal.currency),
    by: timeOf(deal),
  }
  return {
    title: t(`deal.next.${step.key}` as TextKey, values),
    text: t(`deal.next.${step.key}.text` as TextKey, values),
    isYours: step.isYours,
  }
}

function timeOf({ expiresAt, escrow, status }: Deal): string {
  const moment =
    escrow?.status === 'DISPUTED'
      ? (escrow.dispute?.answerBy ?? null)
      : status === 'DELIVERED'
        ? escrow?.autoReleaseAt
        : (expiresAt ?? escrow?.deliverBy)
  return moment ? dateTime(moment) : ''
}

interface Step {
  key: string
  isYours: boolean
}

/** A step of one party: the party that waits sees another text. */
const step = (name: string, isYours: boolean): Step => ({
  key: `${name}.${isYours ? 'you' : 'other'}`,
  isYours,
})
const ended = (key: string): Step => ({ key, isYours: false })

/** Why a deal is neither accepted nor paid, if an agent takes no deals now. */
function unavailableStep({ unavailableAgent, escrow }: Deal, side: Side): Step | null {
  if (!unavailableAgent) return null
  const { party, code } = unavailableAgent
  const isSuspended = code === 'AGENT_SUSPENDED'
  // What was begun for a paused agent goes on; a payment for a suspended one goes to the buyer's wallet.
  if (escrow) return isSuspended && party === 'seller' ? ended(`returning.${nameOf(party, side)}`) : null
  return ended(`${isSuspended ? 'suspended' : 'paused'}.${nameOf(party, side)}`)
}
const nameOf = (party: Side, side: Side): string => (party === side ? 'you' : 'other')

function stepOf(deal: Deal, side: Side): Step {
  const { status, escrow, verificationStatus } = deal
  const unavailable = unavailableStep(deal, side)
  if (unavailable) return unavailable
  if (escrow?.status === 'PENDING_FUNDING') return step('arriving', side === 'buyer')
  if (escrow?.status === 'FROZEN') return ended('frozen')
  if (escrow?.status === 'DISPUTED') return disputeStep(deal)
  if (status === 'PENDING' || status === 'COUNTERED') return step('offer', may(deal, 'accept'))
  if (status === 'ACCEPTED') return step('pay', side === 'buyer')
  if (verificationStatus === 'VERIFYING') return ended('verifying')
  if (status === 'DELIVERED') return step('accept', side === 'buyer')
  if (status === 'ESCROWED' || status === 'IN_PROGRESS')
    return step(workName(verificationStatus), side === 'seller')
  return ended(status.toLowerCase())
}

const workName = (status: Deal['verificationStatus']): string => {
  if (status === 'FAILED') return 'again'
  return status === 'SUPERSEDED' ? 'changes' : 'work'
}

function disputeStep(deal: Deal): Step {
  if (deal.escrow?.dispute?.answer) return ended('decide')
  return step('dispute', may(deal, 'answer'))
}
