import type { Queryable } from '#platform/db'
import type { Actor } from '#platform/http/actor'
import { escrowAnswer } from './answers.ts'

/**
 * What became of an escrow's funding, whatever the caller says of it. Every escrow here was funded from a wallet, in the
 * transaction that made it: the books are the confirmation.
 */
export async function confirmFunding(q: Queryable, actor: Actor, { escrowId }: { escrowId: string }) {
  const escrow = await escrowAnswer(q, actor, escrowId)
  return {
    escrowId: escrow.id, negotiationId: escrow.negotiationId, status: escrow.status, escrow,
    message: 'Funded from a wallet: the money was held at once and needs no confirmation',
  }
}
