import type { DealNotice } from '#ap2'
import type { EventType } from './types.ts'

type Line = DealNotice['lines'][number]

/** The event of a transition, by its subject and its event; a transition that is missing here follows from another one. */
const EVENTS: Readonly<Record<string, EventType>> = {
  'negotiation negotiate': 'negotiation.created',
  'negotiation counter': 'negotiation.countered',
  'negotiation accept': 'negotiation.accepted',
  'negotiation reject': 'negotiation.rejected',
  'negotiation expire': 'negotiation.expired',
  'negotiation start': 'deal.started',
  'negotiation deliver': 'deal.delivered',
  'negotiation deliver_milestone': 'deal.delivered',
  // Of each request: while another milestone waits for the buyer, the negotiation stays DELIVERED.
  'delivery supersede': 'deal.changes_requested',
  'delivery fail': 'deal.delivery_failed',
  'escrow hold': 'deal.funded',
  'escrow fail': 'deal.funding_failed',
  'escrow release': 'deal.released',
  'escrow refund': 'deal.refunded',
  'escrow cancel': 'deal.refunded',
  // Of the timer of this module: no transition.
  'escrow remind': 'deal.deadline_tomorrow',
  'escrow dispute': 'dispute.opened',
  'escrow answer': 'dispute.answered',
  'escrow withdraw': 'dispute.withdrawn',
  'escrow escalate': 'dispute.escalated',
  'escrow default': 'dispute.resolved',
  'escrow lapse': 'dispute.resolved',
  'escrow resolve': 'dispute.resolved',
  'escrow freeze': 'deal.frozen',
  'escrow unfreeze': 'deal.unfrozen',
  'escrow charge_back': 'deal.charged_back',
}

/** What the end of an escrow means after a decision that is an event of its own. */
const ENDS: Readonly<Record<string, EventType>> = {
  RELEASED: 'deal.released',
  REFUNDED: 'deal.refunded',
  SPLIT: 'deal.split',
}
const DECISIONS: ReadonlySet<EventType> = new Set(['dispute.resolved', 'deal.charged_back'])

/** What left the escrow, as in the notice of the deal. */
export type MovedMoney = Pick<Line, 'toSeller' | 'toBuyer' | 'toCard'>

export interface DealEvent extends MovedMoney, Pick<Line, 'unchecked' | 'reason'> {
  type: EventType
  /** Who caused it: buyer, seller, operator, timer, system, verifier or processor. */
  by: string
  /** ISO 8601. */
  at: string
  /** The transition of a decision: `default`, `lapse`, `resolve` or `charge_back`. */
  decision?: string
  /** The end of the escrow that another event of the same line has decided. */
  isOutcome?: true
}

/** The events of what one command changed in a deal, in order. */
export const dealEvents = ({ lines }: Pick<DealNotice, 'lines'>): DealEvent[] =>
  lines.filter(isFirstOfRequest).flatMap(line => {
    const { by, at, toSeller, toBuyer, toCard, unchecked, reason } = line
    const types = typesOf(line)
    const isDecision = types.some(type => DECISIONS.has(type))
    return types.map(type => ({
      type,
      by,
      at,
      toSeller,
      toBuyer,
      toCard,
      unchecked,
      reason,
      ...(isDecision ? { decision: line.event } : {}),
      ...(isDecision && !DECISIONS.has(type) ? { isOutcome: true as const } : {}),
    }))
  })

/** A request for changes sends back each delivery that waits. */
const isFirstOfRequest = ({ event }: Line, index: number, lines: readonly Line[]): boolean =>
  event !== 'supersede' || lines.findIndex(each => each.event === event) === index

function typesOf({ subject, event, to }: Line): EventType[] {
  // Before it is funded; afterwards the escrow is refunded, which is another line.
  if (subject === 'negotiation' && event === 'cancel')
    return to === 'CANCELLED' ? ['negotiation.canceled'] : []
  const type = EVENTS[`${subject} ${event}`]
  const end = subject === 'escrow' ? ENDS[to] : undefined
  if (!type) return []
  return end && DECISIONS.has(type) ? [type, end] : [type]
}
