import type { Tx } from '#platform/kernel/db'
import { lockFunded } from '../deal/deal.ts'

/**
 * Locks the deal of a reserved escrow before its payment is stored. False if the reservation was ended meanwhile, by the
 * buyer or its deadline: the escrow takes no funds any more.
 */
export async function isAwaited(tx: Tx, escrowId: string): Promise<boolean> {
  const { escrow } = await lockFunded(tx, escrowId)
  return escrow.status !== 'CANCELLED'
}
