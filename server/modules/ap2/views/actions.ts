import type { RequestContext } from '#platform/http/principal'
import { allowedEvents } from '#platform/kernel/machine'
import {
  allVerified,
  awaitingBuyer,
  openDisputeOf,
  otherSide,
  ownedSidesOf,
  sidesOf,
  type Deal,
} from '../deal/deal.ts'
import { CHANGES_MAX } from '../negotiation/request-changes.ts'
import { escrowMachine, type EscrowEvent } from '../deal/escrow-machine.ts'
import { negotiationMachine, type NegotiationEvent } from '../deal/negotiation-machine.ts'
import { ROUNDS_MAX } from '../negotiation/respond.ts'
import { withdrawalsOf, type Side } from '../deal/rows.ts'
import { unavailableAgentOf } from './unavailable.ts'

export type Action =
  | 'accept'
  | 'counter'
  | 'reject'
  | 'cancel'
  | 'fund'
  | 'start'
  | 'deliver'
  | 'changes'
  | 'release'
  | 'refund'
  | 'dispute'
  | 'answer'
  | 'withdraw'

const turnOf = ({ negotiation }: Deal): Side => otherSide(negotiation.offeredBy)
const held = ({ escrow }: Deal): boolean => escrow?.status === 'HELD'
const isFunded = ({ escrow }: Deal): boolean => escrow !== null && escrow.status !== 'PENDING_FUNDING'
const undelivered = ({ milestones }: Deal): boolean =>
  milestones.some(
    each =>
      each.released < each.amount &&
      each.deliveryStatus !== 'VERIFIED' &&
      each.deliveryStatus !== 'VERIFYING',
  )

/** What an event asks for beyond the state that the machine's table names. */
const conditions: Partial<Record<NegotiationEvent | EscrowEvent, (deal: Deal, side: Side) => boolean>> = {
  accept: (deal, side) => turnOf(deal) === side && !unavailableAgentOf(deal),
  counter: (deal, side) =>
    turnOf(deal) === side && deal.negotiation.round < ROUNDS_MAX && !unavailableAgentOf(deal),
  // A payment that is awaited can be made in another way.
  fund: deal => !isFunded(deal) && !unavailableAgentOf(deal),
  start: held,
  request_changes: deal =>
    held(deal) &&
    (deal.escrow?.changesRequested ?? 0) < CHANGES_MAX &&
    awaitingBuyer(deal.milestones).length > 0,
  release: ({ milestones }) => allVerified(milestones) || awaitingBuyer(milestones).length > 0,
  answer: (deal, side) => {
    const dispute = openDisputeOf(deal)
    return dispute !== null && dispute.openedBy !== side && dispute.answer === null
  },
  withdraw: (deal, side) => openDisputeOf(deal)?.openedBy === side && !withdrawalsOf(side, deal.disputes),
}

const NAMES: Partial<Record<NegotiationEvent | EscrowEvent, Action>> = { request_changes: 'changes' }
const HIDDEN = new Set<string>(['deliver', 'deliver_milestone', 'continue', 'complete', 'split', 'refund'])
/** Escrow events of actions that the negotiation names. */
const OF_NEGOTIATION = new Set<EscrowEvent>(['cancel', 'abandon'])

/** Actions that move money: for the owner of a side alone. So is `cancel` once the deal is funded. */
const OWNERS = new Set<Action>(['fund', 'release', 'refund', 'dispute', 'answer', 'withdraw'])

/** Operations that take no `sa_` key. */
const NOT_BY_AGENT_KEY = new Set<Action>([...OWNERS, 'changes'])

/** What the caller may do with the deal now, with its credential. */
export function allowedActions(deal: Deal, ctx: RequestContext): Action[] {
  if (deal.negotiation.isRun) return []
  const owned = ownedSidesOf(ctx, deal)
  const isOwners = (action: Action) => OWNERS.has(action) || (action === 'cancel' && deal.escrow !== null)
  const actions = sidesOf(ctx, deal).flatMap(side =>
    actionsOf(deal, side).filter(action => owned.includes(side) || !isOwners(action)),
  )
  const isAgentKey = ctx.principal.via === 'agent-key'
  return [...new Set(actions)].filter(action => !isAgentKey || !NOT_BY_AGENT_KEY.has(action))
}

/** The actions of one side: from the machines' tables, and the conditions above. */
function actionsOf(deal: Deal, side: Side): Action[] {
  const { negotiation, escrow } = deal
  // Once money is held, the escrow decides: of the negotiation's actions only start and deliver remain.
  const own = allowedEvents(negotiationMachine, negotiation.status, [side]).filter(
    event => !HIDDEN.has(event) && (event !== 'cancel' || !isFunded(deal) || held(deal)),
  )
  const ofEscrow = escrow
    ? allowedEvents(escrowMachine, escrow.status, [side]).filter(event => !OF_NEGOTIATION.has(event))
    : []
  const events = [...own, ...ofEscrow].filter(event => conditions[event]?.(deal, side) ?? true)
  const named = events.map(event => NAMES[event] ?? (event as Action))
  return side === 'seller' && held(deal) && undelivered(deal) ? [...named, 'deliver' as const] : named
}
