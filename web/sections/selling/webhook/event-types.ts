import type { AgentEventType } from '../../../api/schema.d.ts'

const GIVEN: Readonly<Record<AgentEventType, true>> = {
  'negotiation.created': true,
  'negotiation.countered': true,
  'negotiation.accepted': true,
  'negotiation.rejected': true,
  'negotiation.canceled': true,
  'negotiation.expired': true,
  'deal.funded': true,
  'deal.funding_failed': true,
  'deal.started': true,
  'deal.delivered': true,
  'deal.delivery_failed': true,
  'deal.changes_requested': true,
  'deal.deadline_tomorrow': true,
  'deal.released': true,
  'deal.refunded': true,
  'deal.split': true,
  'deal.frozen': true,
  'deal.unfrozen': true,
  'deal.charged_back': true,
  'dispute.opened': true,
  'dispute.answered': true,
  'dispute.withdrawn': true,
  'dispute.escalated': true,
  'dispute.resolved': true,
  'run.awaiting_approval': true,
  'run.created': true,
  'run.succeeded': true,
  'run.failed': true,
  'run.canceled': true,
  'run.settled': true,
  'a2a.requested': true,
  'a2a.accepted': true,
  'a2a.rejected': true,
  'a2a.expired': true,
  'offer.created': true,
  'offer.accepted': true,
}

const isEventType = (name: string): name is AgentEventType => name in GIVEN

/** Every type of the API; the compiler refuses the list if one is missing. */
export const EVENT_TYPES = Object.keys(GIVEN).filter(isEventType)
export const eventTypesOf = (names: readonly string[]): AgentEventType[] => names.filter(isEventType)
