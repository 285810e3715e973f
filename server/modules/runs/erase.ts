import { erasure } from '#identity'
import type { Tx } from '#platform/kernel/db'
import { lockRun } from './run.ts'
import { LIVE } from './run-machine.ts'
import * as statements from './sql.ts'
import type { Run } from './sql.ts'

/**
 * Erases what accounts and organizations that are being deleted wrote in their ended runs. What a live run needs is erased
 * when it ends. An output that was paid for belongs to the buyer and stays until both parties are deleted.
 */
export async function eraseRunTextOf(tx: Tx, partyIds: readonly string[]): Promise<void> {
  for (const { id } of await tx.rows(statements.runsOf(partyIds))) {
    const { run } = await lockRun(tx, id)
    if (!LIVE.includes(run.status)) await eraseFor(tx, run, new Set(partyIds))
  }
}

/** Erases the text of parties that were deleted while the run was live. Caller holds the lock. */
export async function eraseTextOfEndedRun(tx: Tx, id: string): Promise<void> {
  await eraseFor(tx, await tx.one(statements.runById(id)), new Set())
}

async function eraseFor(tx: Tx, run: Run, leaving: ReadonlySet<string>): Promise<void> {
  const { buyer, seller } = await tx.one(statements.buyerAndSeller(run.id))
  const deleted = new Set([...leaving, ...(await erasure.deletedAmong(tx, [buyer, seller]))])
  const isPaid = run.status === 'SUCCEEDED' && run.payment !== 'REFUNDED'
  if (deleted.has(buyer)) await tx.run(statements.eraseInput(run.id))
  if (deleted.has(seller)) await tx.run(statements.eraseSellerText(run.id))
  if (deleted.has(seller) && (deleted.has(buyer) || !isPaid)) await tx.run(statements.eraseOutput(run.id))
}
