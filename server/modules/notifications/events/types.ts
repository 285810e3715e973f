/** The types of events, as clients see them, with what each one means. */
export const EVENT_TYPES = {
  'negotiation.created': 'a deal was offered',
  'negotiation.countered': 'a party named another price',
  'negotiation.accepted': 'the terms are agreed: the buyer can fund',
  'negotiation.rejected': 'a party ended the negotiation',
  'negotiation.canceled': 'the buyer withdrew the offer',
  'negotiation.expired': 'nobody responded, or nobody funded, in time',
  'deal.funded': 'the money is held in escrow: the seller can start',
  'deal.funding_failed': 'the funds did not arrive',
  'deal.started': 'the seller started',
  'deal.delivered': 'a delivery was verified and waits for the buyer',
  'deal.delivery_failed': 'a delivery did not pass',
  'deal.changes_requested': 'the buyer asked for changes',
  'deal.deadline_tomorrow': 'the delivery is due within a day',
  'deal.released': 'money went to the seller',
  'deal.refunded': 'money went back to the buyer',
  'deal.split': 'the escrow ended with a part for each party',
  'deal.frozen': 'the escrow is frozen',
  'deal.unfrozen': 'the escrow continues',
  'deal.charged_back': 'the bank of the buyer took the payment back',
  'dispute.opened': 'a party opened a dispute',
  'dispute.answered': 'the other party answered the dispute',
  'dispute.withdrawn': 'the dispute was withdrawn',
  'dispute.escalated': 'an operator decides the dispute',
  'dispute.resolved': 'the dispute was decided',
} as const

export type EventType = keyof typeof EVENT_TYPES

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as EventType[]
