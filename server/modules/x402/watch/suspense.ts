import { requireStepUp, approvals } from '#identity'
import { accounts, post } from '#ledger'
import { lockToCredit } from '#wallets'
import { audit, type Author } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId, newId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import { X402 } from '../errors.ts'
import * as statements from './sql.ts'
import type { TransferRow } from './sql.ts'

const ASSET = 'USDC'
/** Kind of the approval of a large exit; its payload is the whole order. */
const LARGE_EXIT = 'x402.suspense'

/** Where a transfer in suspense goes: to a wallet, or (without one) back to its payer on the chain. */
export interface Exit {
  transferId: string
  walletId?: string
  reason: string
}

/** A page of the transfers that pay nothing, newest first. */
export async function suspendedTransfers(q: Queryable, open: boolean | undefined, page: Page) {
  const rows = await q.rows(statements.suspendedTransfers(open, page))
  const { counted } = await q.one(statements.countSuspended(open, TOTAL_CAP + 1))
  return pageAnswer(rows.map(transferView), counted, page)
}

/**
 * Takes one transfer out of suspense, in full; 403 without a fresh proof. Above `limit` (micro-units) nothing moves: the
 * admin asks for another admin's approval. Errors: 404 for an unknown transfer or wallet, 409 for one that is settled, or
 * that is of another token and was never posted.
 */
export async function exitSuspense(tx: Tx, ctx: RequestContext, exit: Exit, limit: bigint) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const row = await lockOpenTransfer(tx, exit.transferId)
  const about = await ownerOf(tx, exit)
  if (BigInt(row.amount) <= limit)
    return { item: transferView(await settle(tx, ctx, row, { ...exit, about })) }
  const { walletId, ...rest } = exit
  const payload = {
    ...rest,
    ...(walletId === undefined ? {} : { walletId }),
    amount: amountOf(row),
    currency: ASSET,
  }
  return {
    item: transferView(row),
    approval: await approvals.requestApproval(tx, ctx, { kind: LARGE_EXIT, payload }),
  }
}

/** Executes an exit that another admin approved. */
export async function settleApprovedExit(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string | null>> {
  const { transferId = '', walletId, reason = '' } = payload
  const row = await lockOpenTransfer(tx, transferId)
  const exit = { transferId, walletId, reason }
  const settled = await settle(tx, { by: ['admin', approvedBy] }, row, {
    ...exit,
    about: [requestedBy, ...(await ownerOf(tx, exit))],
    details: { approvalId, requestedBy },
  })
  return { journalId: settled.exitJournalId }
}

const ownerOf = async (tx: Tx, { walletId }: Exit): Promise<string[]> =>
  walletId === undefined ? [] : [(await lockToCredit(tx, walletId, ASSET)).accountId]

async function lockOpenTransfer(tx: Tx, id: string): Promise<TransferRow> {
  const row = isId(id) ? await tx.maybe(statements.lockTransfer(id)) : undefined
  if (!row || row.reason === null || row.status !== 'FINAL') throw apiError(X402.CHAIN_TRANSFER_NOT_FOUND)
  if (row.settledAt) throw apiError(X402.CHAIN_TRANSFER_SETTLED, { details: { resolution: row.resolution } })
  if (row.journalId === null)
    throw apiError(X402.CHAIN_TRANSFER_NOT_POSTED, {
      hint: `The ledger has no account for the token ${row.token}: return it with a wallet software`,
    })
  return row
}

interface Decision extends Exit {
  about: readonly string[]
  details?: Record<string, string>
}

async function settle(
  tx: Tx,
  author: Author,
  row: TransferRow,
  { walletId, reason, about, details }: Decision,
): Promise<TransferRow> {
  const { id, network, amount } = row
  // What is returned leaves the books when the chain has confirmed it.
  const journal =
    walletId === undefined
      ? null
      : await post(tx, {
          kind: 'x402_suspense_assigned',
          key: `x402/suspense/${id}/exit`,
          reference: { transferId: id, walletId },
          legs: [
            {
              debit: accounts.suspense,
              credit: accounts.wallet(walletId),
              amount: BigInt(amount),
              asset: ASSET,
            },
          ],
        })
  await audit(tx, author, walletId === undefined ? 'x402.returned' : 'x402.assigned', {
    target: ['chain_transfer', id],
    details: { network, walletId, amount: amountOf(row), reason, journalId: journal?.id, ...details },
    about,
  })
  const resolution = walletId === undefined ? 'RETURNING' : 'ASSIGNED'
  return tx.one(
    statements.resolveTransfer(id, {
      resolution,
      exitJournalId: journal?.id ?? null,
      returnId: journal ? null : newId(),
      now: tx.now,
    }),
  )
}

const amountOf = ({ amount }: TransferRow): string => formatMoney(BigInt(amount))

const transferView = (row: TransferRow) => ({
  id: row.id,
  paymentId: row.paymentId,
  reason: row.reason ?? 'UNMATCHED',
  amount: amountOf(row),
  token: row.token,
  network: row.network,
  payer: row.payer,
  payTo: row.payTo,
  txHash: row.txHash,
  posted: row.journalId !== null,
  resolution: row.resolution,
  journalId: row.exitJournalId,
  createdAt: row.createdAt.toISOString(),
  settledAt: row.settledAt?.toISOString() ?? null,
})
