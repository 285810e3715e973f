import type { Actor } from '#platform/http/actor'
import { allowedEvents } from '#platform/machine'
import { allVerified, otherSide, ownedSidesOf, sidesOf, standing, type Deal } from './deal.ts'
import { CHANGES_MAX } from './changes.ts'
import { escrowMachine, type EscrowEvent } from './escrow-machine.ts'
import { negotiationMachine, type NegotiationEvent } from './negotiation-machine.ts'
import { ROUNDS_MAX } from './respond.ts'
import { withdrawalsOf, type DisputeRow, type Side } from './rows.ts'

export type Action =
  | 'accept' | 'counter' | 'reject' | 'cancel' | 'fund' | 'start' | 'deliver' | 'changes'
  | 'release' | 'refund' | 'dispute' | 'answer' | 'withdraw'

export interface Situation extends Deal {
  /** The open one. */
  dispute: DisputeRow | null
  disputes: readonly DisputeRow[]
}

const turnOf = ({ negotiation }: Situation): Side => otherSide(negotiation.offered_by)
const held = ({ escrow }: Situation): boolean => escrow?.status === 'HELD'
const undelivered = ({ milestones }: Situation): boolean =>
  milestones.some(each => each.released < each.amount && each.delivery_status !== 'VERIFIED' && each.delivery_status !== 'VERIFYING')

/** What an event asks for beyond the state that the machine's table names. */
const conditions: Partial<Record<NegotiationEvent | EscrowEvent, (situation: Situation, side: Side) => boolean>> = {
  accept: (situation, side) => turnOf(situation) === side,
  counter: (situation, side) => turnOf(situation) === side && situation.negotiation.round < ROUNDS_MAX,
  start: held,
  request_changes: situation =>
    held(situation) && (situation.escrow?.changes_requested ?? 0) < CHANGES_MAX && standing(situation.milestones).length > 0,
  release: ({ milestones }) => allVerified(milestones) || standing(milestones).length > 0,
  answer: ({ dispute }, side) => dispute?.opened_by !== side && dispute?.answer === null,
  withdraw: ({ dispute, disputes }, side) => dispute?.opened_by === side && !withdrawalsOf(side, disputes),
}

const NAMES: Partial<Record<NegotiationEvent | EscrowEvent, Action>> = { request_changes: 'changes' }
const HIDDEN = new Set<string>(['deliver', 'deliver_milestone', 'continue', 'complete', 'split', 'refund'])

/** Actions that move money: for the owner of a side alone. So is `cancel` once the deal is funded. */
const OWNERS = new Set<Action>(['fund', 'release', 'refund', 'dispute', 'answer', 'withdraw'])

/** What the caller may do with the deal now. */
export function allowedActions(situation: Situation, actor: Actor): Action[] {
  const owned = ownedSidesOf(actor, situation)
  const isOwners = (action: Action) => OWNERS.has(action) || (action === 'cancel' && situation.escrow !== null)
  const actions = sidesOf(actor, situation).flatMap(side =>
    actionsOf(situation, side).filter(action => owned.includes(side) || !isOwners(action)))
  return [...new Set(actions)]
}

/** The actions of one side: from the machines' tables, and the conditions above. */
function actionsOf(situation: Situation, side: Side): Action[] {
  const { negotiation, escrow } = situation
  // Money decides once it is held: of the negotiation's own events only the work itself is a party's act then.
  const own = allowedEvents(negotiationMachine, negotiation.status, [side])
    .filter(event => !HIDDEN.has(event) && (event !== 'cancel' || !escrow || held(situation)))
  const ofEscrow = escrow ? allowedEvents(escrowMachine, escrow.status, [side]).filter(event => event !== 'cancel') : []
  const events = [...own, ...ofEscrow].filter(event => conditions[event]?.(situation, side) ?? true)
  const named = events.map(event => NAMES[event] ?? event as Action)
  return side === 'seller' && held(situation) && undelivered(situation) ? [...named, 'deliver' as const] : named
}
