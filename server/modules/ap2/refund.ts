import type { Tx } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import { formatMoney } from '#platform/money'
import { actorIdOf, lockFunded, requireOwnedSide, standing } from './deal.ts'
import { demandHeld } from './negotiation.ts'
import { heldOf } from './rows.ts'
import { settle, type Settled } from './settle.ts'

/** The seller gives back what is still held. */
export async function refundEscrow(tx: Tx, actor: Actor, escrowId: string, { memo }: { memo?: string }): Promise<Settled> {
  const deal = await lockFunded(tx, escrowId)
  requireOwnedSide(actor, deal, 'seller')
  demandHeld(deal, 'refund')
  const held = heldOf(deal.escrow)
  return settle(tx, deal, {
    event: 'refund', by: 'seller', actorId: actorIdOf(actor), toBuyer: held, memo, author: actor.accountId,
    details: { amount: formatMoney(held) },
  })
}

/** Timer: `deliver_by` passed and no verified delivery waits for the buyer. */
export async function refundUndelivered(tx: Tx, escrowId: string): Promise<void> {
  const deal = await lockFunded(tx, escrowId)
  const { escrow, milestones } = deal
  const delivered = standing(milestones).length > 0 || milestones.some(each => each.delivery_status === 'VERIFYING')
  if (escrow.status !== 'HELD' || escrow.deliver_by > tx.now || delivered) return
  const held = heldOf(escrow)
  await settle(tx, deal, {
    event: 'refund', by: 'timer', toBuyer: held, sellerFailed: true,
    details: { amount: formatMoney(held), reason: 'not delivered in time' },
  })
}
