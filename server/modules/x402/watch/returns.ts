import { accounts, post } from '#ledger'
import type { Services } from '#platform/kernel/services'
import { readTransfer, sendUsdc, type SendReport } from '../sending/send.ts'
import * as statements from './sql.ts'
import type { TransferRow } from './sql.ts'

/** Sends what an admin returns to its payer; posts it when the chain has confirmed it, or reopens the transfer. */
export async function advanceReturns(services: Services): Promise<void> {
  const { db } = services
  for (const { id, returnId, payer, amount } of await db.rows(statements.returningTransfers())) {
    if (returnId === null) continue
    const sent =
      (await readTransfer(services, returnId)) ??
      (await sendUsdc(services, { id: returnId, toAddress: payer, amount: BigInt(amount) }))
    if (sent.state === 'paid' || sent.state === 'failed') await finishReturn(services, id, sent)
  }
}

const finishReturn = ({ db, log }: Services, id: string, sent: SendReport): Promise<void> =>
  db.transaction(async tx => {
    const row = await tx.one(statements.lockTransfer(id))
    if (row.resolution !== 'RETURNING' || row.returnId !== sent.id) return
    if (sent.state === 'failed') {
      await tx.run(statements.reopenTransfer(id, tx.now))
      log.error(
        { transfer: id, failure: sent.failure },
        'x402: a return failed, the transfer is in suspense again',
      )
      return
    }
    const { id: journalId } = await post(tx, {
      kind: 'x402_suspense_returned',
      key: `x402/suspense/${id}/exit`,
      reference: { transferId: id },
      legs: legsOf(row, sent),
    })
    const { returnId } = row
    await tx.run(
      statements.resolveTransfer(id, {
        resolution: 'RETURNED',
        exitJournalId: journalId,
        returnId,
        now: tx.now,
      }),
    )
  })

const legsOf = ({ amount }: TransferRow, { custody, gas }: SendReport) => [
  { debit: accounts.suspense, credit: custody, amount: BigInt(amount), asset: 'USDC' as const },
  ...(gas ? [gas] : []),
]
