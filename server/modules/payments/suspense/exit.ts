import { requireStepUp, approvals } from '#identity'
import { accounts, post } from '#ledger'
import { lockToCredit } from '#wallets'
import { audit, type Author } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { formatMoney, fromCents } from '#platform/kernel/money'
import { PAYMENTS } from '../errors.ts'
import * as statements from '../sql.ts'
import type { SuspenseRow } from '../sql.ts'

const ASSET = 'USD'
/** Kind of the approval of a large exit; its payload is the whole order. */
const LARGE_EXIT = 'payments.suspense'

/** Where money in suspense goes: to a wallet, or (without one) back to its payer, whom the operator refunded at the processor. */
export interface Exit {
  processorId: string
  walletId?: string
  reason: string
}

/** A page of the money that fits no payment, newest first. */
export async function suspenseItems(q: Queryable, open: boolean | undefined, page: Page) {
  const rows = await q.rows(statements.suspenseRows(open, page))
  const { counted } = await q.one(statements.countSuspense(open, TOTAL_CAP + 1))
  return pageAnswer(rows.map(suspenseView), counted, page)
}

/**
 * Takes one item out of suspense, in full; 403 without a fresh proof. Above `limit` (micro-units) nothing moves: the
 * admin asks for another admin's approval. Errors: 404 for an unknown item or wallet, 409 for an item
 * that is settled, or that is to be assigned and was never posted.
 */
export async function settleSuspense(tx: Tx, ctx: RequestContext, exit: Exit, limit: bigint) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const row = await lockOpenItem(tx, exit)
  const about = exit.walletId === undefined ? [] : [(await lockToCredit(tx, exit.walletId, ASSET)).accountId]
  if (fromCents(Number(row.cents)) <= limit)
    return { item: suspenseView(await settle(tx, ctx, row, { ...exit, about })) }
  const { walletId, ...rest } = exit
  const payload = {
    ...rest,
    ...(walletId === undefined ? {} : { walletId }),
    amount: amountOf(row),
    currency: row.currency,
  }
  return {
    item: suspenseView(row),
    approval: await approvals.requestApproval(tx, ctx, { kind: LARGE_EXIT, payload }),
  }
}

/** Executes an exit that another admin approved. */
export async function settleApprovedSuspense(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string | null>> {
  const { processorId = '', walletId, reason = '' } = payload
  const row = await lockOpenItem(tx, { processorId, walletId, reason })
  const about = walletId === undefined ? [] : [(await lockToCredit(tx, walletId, ASSET)).accountId]
  const settled = await settle(tx, { by: ['admin', approvedBy] }, row, {
    processorId,
    walletId,
    reason,
    about: [requestedBy, ...about],
    details: { approvalId, requestedBy },
  })
  return { journalId: settled.journalId }
}

async function lockOpenItem(tx: Tx, { processorId, walletId }: Exit): Promise<SuspenseRow> {
  const row = await tx.maybe(statements.lockSuspense(processorId))
  if (!row) throw apiError(PAYMENTS.SUSPENSE_NOT_FOUND)
  if (row.settledAt) throw apiError(PAYMENTS.SUSPENSE_SETTLED, { details: { resolution: row.resolution } })
  if (!row.booked && walletId !== undefined)
    throw apiError(PAYMENTS.SUSPENSE_NOT_POSTED, {
      hint: `The ledger has no ${row.currency}: refund it at the processor and record that as returned`,
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
  row: SuspenseRow,
  { walletId, reason, about, details }: Decision,
): Promise<SuspenseRow> {
  const resolution = walletId === undefined ? 'RETURNED' : 'ASSIGNED'
  const { processorId, paymentId } = row
  const journal = row.booked
    ? await post(tx, {
        kind: `suspense_${resolution.toLowerCase()}`,
        key: `suspense/${processorId}/exit`,
        reference: { processorId, paymentId, ...(walletId === undefined ? {} : { walletId }) },
        legs: [
          {
            debit: accounts.suspense,
            credit: walletId === undefined ? accounts.processor : accounts.wallet(walletId),
            amount: fromCents(Number(row.cents)),
            asset: ASSET,
          },
        ],
      })
    : null
  await audit(tx, author, `suspense.${resolution.toLowerCase()}`, {
    target: ['payment', paymentId],
    details: {
      processorId,
      walletId,
      amount: amountOf(row),
      currency: row.currency,
      reason,
      journalId: journal?.id,
      ...details,
    },
    about,
  })
  return tx.one(
    statements.resolveSuspense(processorId, { resolution, journalId: journal?.id ?? null, now: tx.now }),
  )
}

const amountOf = ({ cents }: SuspenseRow): string => formatMoney(fromCents(Number(cents)))

const suspenseView = (row: SuspenseRow) => ({
  id: row.processorId,
  paymentId: row.paymentId,
  reason: row.reason,
  amount: amountOf(row),
  fee: formatMoney(fromCents(Number(row.feeCents))),
  currency: row.currency,
  posted: row.booked,
  resolution: row.resolution,
  journalId: row.journalId,
  createdAt: row.createdAt.toISOString(),
  settledAt: row.settledAt?.toISOString() ?? null,
})
