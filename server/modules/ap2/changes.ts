import { after, DAY } from '#platform/clock'
import type { Tx } from '#platform/db'
import { fault } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { transition } from '#platform/machine'
import { actorIdOf, demandSide, lockFunded, standing } from './deal.ts'
import { deliveryMachine } from './delivery-machine.ts'
import { AP2, cannot } from './faults.ts'
import { demandHeld } from './negotiation.ts'
import { negotiationMachine } from './negotiation-machine.ts'
import { milestoneOf } from './release.ts'
import type { EscrowRow, MilestoneRow } from './rows.ts'
import * as statements from './sql.ts'

export const CHANGES_MAX = 3
const TIME_TO_CHANGE = 7 * DAY

/** The buyer sends a verified delivery back: its release timer stops, and the seller has at least 7 more days. */
export async function requestChanges(tx: Tx, actor: Actor, escrowId: string, input: { reason: string; milestoneKey?: string }): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  demandSide(actor, deal, 'buyer')
  demandHeld(deal, 'request changes')
  const { negotiation, escrow, milestones } = deal
  if (negotiation.status !== 'DELIVERED') throw cannot('request changes', negotiation.status)
  if (escrow.changes_requested >= CHANGES_MAX) throw fault(AP2.CHANGES_EXHAUSTED, {
    hint: `At most ${CHANGES_MAX} requests are allowed: release, or open a dispute`,
  })
  const waiting = standing(milestones)
  const { milestoneKey } = input
  const named = milestoneKey === undefined ? null : milestoneOf(negotiation.milestones !== null, milestones, milestoneKey)
  const targets = named ? waiting.filter(each => each === named) : waiting
  if (!targets.length) throw cannot('request changes', 'NOT VERIFIED', 'this milestone has no verified delivery')
  const by = { by: 'buyer', actorId: actorIdOf(actor), details: { reason: input.reason } } as const
  for (const delivery of await tx.rows(statements.verifiedDeliveries(targets.map(each => each.id)))) {
    await transition(tx, deliveryMachine, delivery, { event: 'supersede', ...by })
  }
  for (const { id } of targets) {
    await tx.run(statements.update<MilestoneRow>('ap2_milestone', id, {
      delivery_status: 'SUPERSEDED', verified_at: null, auto_release_at: null,
    }))
  }
  const earliest = after(tx.now, TIME_TO_CHANGE)
  await tx.run(statements.update<EscrowRow>('ap2_escrow', escrow.id, {
    changes_requested: escrow.changes_requested + 1,
    deliver_by: escrow.deliver_by > earliest ? escrow.deliver_by : earliest, updated_at: tx.now,
  }))
  if (targets.length === waiting.length) await transition(tx, negotiationMachine, negotiation, {
    event: 'request_changes', ...by,
  })
}
